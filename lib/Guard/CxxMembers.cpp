//===- CxxMembers.cpp - functions of a module by class --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard/CxxMembers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Module.h"
#include <cstdlib>
#include <cxxabi.h>
#include <memory>

using namespace llvm;
using namespace retrograd;

/// Of Text from At on, how much is the symbol of an operator, behind the word.
static size_t operatorSymbol(StringRef Text, size_t At) {
  if (!Text.substr(0, At).ends_with("operator"))
    return 0;
  StringRef Rest = Text.substr(At);
  if (Rest.starts_with("()") || Rest.starts_with("[]"))
    return 2;
  return std::min(Rest.find_first_not_of("<>=-+*/%^&|~!,"), Rest.size());
}

/// Calls Do with each place of Text outside of all brackets.
static void outside(StringRef Text, function_ref<void(size_t)> Do) {
  int Depth = 0;
  for (size_t I = 0; I < Text.size(); ++I) {
    if (size_t Symbol = operatorSymbol(Text, I)) {
      I += Symbol - 1;
      continue;
    }
    if (StringRef(">)}]").contains(Text[I]))
      --Depth;
    if (Depth == 0)
      Do(I);
    if (StringRef("<({[").contains(Text[I]))
      ++Depth;
  }
}

/// Text without the arguments of a template at its end.
static StringRef withoutArguments(StringRef Text) {
  size_t End = Text.size();
  outside(Text, [&](size_t I) {
    if (Text[I] == '<')
      End = std::min(End, I);
  });
  return Text.take_front(End).rtrim();
}

/// Behind the last "::" of Text that is outside of all brackets; 0 if none is.
static size_t lastPart(StringRef Text) {
  size_t Behind = 0;
  outside(Text, [&](size_t I) {
    if (Text.substr(I).starts_with("::"))
      Behind = I + 2;
  });
  return Behind;
}

std::optional<CxxName> retrograd::cxxNameIn(StringRef Text) {
  const size_t Close = Text.rfind(')');
  size_t Open = Close;
  for (int Depth = 0; Open != StringRef::npos; --Open) {
    Depth += (Text[Open] == ')') - (Text[Open] == '(');
    if (!Depth)
      break;
    if (!Open)
      return std::nullopt;
  }
  // Behind parameters are qualifiers at most: this may be a variable's name.
  if (Close == StringRef::npos || Text.substr(Close).contains("::"))
    return std::nullopt;
  StringRef Head = Text.take_front(Open);
  // In front of a template's name is what it returns. What is behind a function
  // around a local class is a qualifier.
  size_t From = 0;
  outside(Head, [&](size_t I) {
    StringRef Rest = Head.substr(I + 1);
    if (Head[I] == ' ' && !Rest.starts_with("const") &&
        !Rest.starts_with("&") && !Rest.starts_with("volatile") &&
        !Rest.starts_with("<") && !Head.take_front(I).ends_with("operator"))
      From = I + 1;
  });
  Head = Head.substr(From);
  if (Head.empty())
    return std::nullopt;
  const size_t Last = lastPart(Head);
  CxxName Name;
  Name.Class = Head.take_front(Last ? Last - 2 : 0).str();
  Name.Base = withoutArguments(Head.substr(Last)).str();
  Name.Params = Text.slice(Open, Close + 1).str();
  Name.Whole = Head.str();
  StringRef Class = Name.Class;
  Class = withoutArguments(Class.substr(lastPart(Class)));
  StringRef Base = Name.Base;
  Base.consume_front("~");
  Name.IsStructor = !Class.empty() && Base == Class;
  return Name;
}

std::optional<CxxName> retrograd::demangle(const Function &F) {
  const std::string Mangled = F.getName().str(); // D points into it
  ItaniumPartialDemangler D;
  if (D.partialDemangle(Mangled.c_str())) {
    // LLVM's gives up on generic lambdas within generic lambdas.
    int Failed = 0;
    std::unique_ptr<char, decltype(&std::free)> Text(
        abi::__cxa_demangle(Mangled.c_str(), nullptr, nullptr, &Failed),
        std::free);
    return Failed ? std::nullopt : cxxNameIn(Text.get());
  }
  if (!D.isFunction())
    return std::nullopt;
  auto Text = [](char *S) {
    std::string Result = S ? S : "";
    std::free(S);
    return Result;
  };
  size_t N = 0;
  CxxName Name;
  Name.Class = Text(D.getFunctionDeclContextName(nullptr, &N));
  N = 0;
  Name.Base = Text(D.getFunctionBaseName(nullptr, &N));
  N = 0;
  Name.Params = Text(D.getFunctionParameters(nullptr, &N));
  N = 0;
  Name.Whole = Text(D.getFunctionName(nullptr, &N));
  Name.IsStructor = D.isCtorOrDtor();
  return Name;
}

SmallVector<std::string, 3> retrograd::parts(StringRef Text) {
  SmallVector<std::string, 3> Found;
  const size_t Open = Text.find_first_of("<(");
  if (Open == StringRef::npos)
    return Found;
  size_t From = Open + 1;
  int Depth = 0;
  for (size_t I = From; I != Text.size(); ++I) {
    const char C = Text[I];
    const bool Ends = StringRef(">)}]").contains(C) && --Depth < 0;
    if (StringRef("<({[").contains(C))
      ++Depth;
    if (!Ends && (C != ',' || Depth))
      continue;
    if (I != From)
      Found.push_back(Text.slice(From, I).trim().str());
    From = I + 1;
    if (Ends)
      break;
  }
  return Found;
}

CxxMembers::CxxMembers(Module &M) {
  for (Function &F : M)
    if (F.getName().starts_with("_Z"))
      if (std::optional<CxxName> N = demangle(F); N && !N->Class.empty())
        Of[N->Class].push_back({&F, std::move(*N)});
}

Function *CxxMembers::find(StringRef Class, StringRef Base, unsigned Arity,
                           function_ref<bool(StringRef)> Fits) const {
  auto It = Of.find(Class);
  if (It == Of.end())
    return nullptr;
  Function *Found = nullptr;
  for (const auto &[F, Name] : It->second)
    if ((Base.empty() ? Name.IsStructor && Name.Base[0] != '~'
                      : Name.Base == Base) &&
        F->arg_size() == Arity && Fits(Name.Params) &&
        all_of(F->args(),
               [](const Argument &A) { return A.getType()->isPointerTy(); })) {
      // A constructor has two names.
      if (Found && !Name.IsStructor)
        return nullptr;
      Found = F;
    }
  return Found;
}

bool CxxMembers::has(StringRef Class, StringRef Base) const {
  auto It = Of.find(Class);
  return It != Of.end() && any_of(It->second, [&](const auto &Member) {
           return Member.second.Base == Base;
         });
}

Function *CxxMembers::findCallable(StringRef Class, unsigned More) const {
  auto It = Of.find(Class);
  Function *Found = nullptr;
  if (It != Of.end())
    for (const auto &[F, Name] : It->second)
      if (Name.Base == "operator()" && F->arg_size() == 2 + More &&
          F->getArg(1)->getType()->isIntegerTy() &&
          (!More || F->getArg(2)->getType()->isPointerTy()) &&
          (More < 2 || F->getArg(3)->getType()->isIntegerTy())) {
        if (Found)
          return nullptr;
        Found = F;
      }
  return Found;
}

Function *CxxMembers::destructor(StringRef Class) const {
  auto It = Of.find(Class);
  if (It != Of.end())
    for (const auto &[F, Name] : It->second)
      if (Name.IsStructor && Name.Base[0] == '~' && F->arg_size() == 1)
        return F;
  return nullptr;
}

void CxxMembers::each(
    StringRef Class, function_ref<void(Function &, const CxxName &)> Do) const {
  auto It = Of.find(Class);
  if (It != Of.end())
    for (const auto &[F, Name] : It->second)
      Do(*F, Name);
}

/// Does Class end where its first template does? What is nested in it does not.
static bool isTemplateItself(StringRef Class) {
  int Depth = 0;
  for (size_t I = 0; I != Class.size(); ++I) {
    Depth += (Class[I] == '<') - (Class[I] == '>');
    if (Class[I] == '>' && !Depth)
      return I + 1 == Class.size();
  }
  return false;
}

std::string CxxMembers::classThatBegins(StringRef Begin) const {
  std::string Found;
  for (StringRef Class : Of.keys())
    if (Class.starts_with(Begin) && isTemplateItself(Class)) {
      if (!Found.empty())
        return "";
      Found = Class;
    }
  return Found;
}
