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

using namespace llvm;
using namespace retrograd;

std::optional<CxxName> retrograd::demangle(const Function &F) {
  const std::string Mangled = F.getName().str(); // D points into it
  ItaniumPartialDemangler D;
  if (D.partialDemangle(Mangled.c_str()) || !D.isFunction())
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
