//===- RequestTrail.cpp - who asked for this derivative -------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics/RequestTrail.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Metadata.h"
#include <cstdlib>

using namespace llvm;
using namespace retrograd;

std::string retrograd::userName(StringRef Symbol) {
  Symbol.consume_front("rg.primal.");
  Symbol.consume_front("rg.disjoint.");
  Symbol.consume_front("rg.call.");
  Symbol.consume_front("rg.fixed.");
  Symbol.consume_front("rg.unseen.");
  Symbol.consume_front("rg.fork.");
  Symbol = Symbol.substr(0, Symbol.find(".rg."));
  constexpr StringLiteral Region = ".omp_outlined"; // layering: users see it
  if (size_t At = Symbol.find(Region); At != StringRef::npos)
    return userName(Symbol.take_front(At)) + " (parallel region)";
  // The full demangled name of a template instance can fill a screen; its
  // function name with the enclosing scopes is what a user searches for.
  ItaniumPartialDemangler Demangler;
  std::string Mangled = Symbol.str();
  if (Symbol.starts_with("_Z") && !Demangler.partialDemangle(Mangled.c_str())) {
    size_t Size = 0;
    std::string Context, Base;
    if (char *Text = Demangler.getFunctionDeclContextName(nullptr, &Size)) {
      Context = Text;
      std::free(Text);
    }
    if (char *Text = Demangler.getFunctionBaseName(nullptr, &Size)) {
      Base = Text;
      std::free(Text);
    }
    if (!Base.empty()) {
      // The thunks of our C++ header: their template arguments say nothing.
      if (StringRef(Context).starts_with("rg::detail::"))
        return "the function given to rg (retrograd.hpp)";
      std::string Name = Context.empty() ? Base : Context + "::" + Base;
      if (Name.size() <= 120)
        return Name;
      return Base.substr(0, 120);
    }
  }
  return demangle(Mangled);
}

std::string retrograd::userName(const Function &F) {
  return userName(F.getName());
}

/// Our own C++ header is inlined into the user's function; the user's line is
/// the one that it was inlined at.
static const DILocation *skipOwnHeader(const DILocation *Loc) {
  auto IsOwn = [](StringRef Path) {
    return any_of(
        ArrayRef<StringRef>{"retrograd/retrograd.h", "retrograd/strips.hpp",
                            "retrograd/hessians.hpp", "retrograd/sparse.hpp"},
        [&](StringRef Own) { return Path.contains(Own); });
  };
  while (Loc->getInlinedAt() && IsOwn(Loc->getFilename()))
    Loc = Loc->getInlinedAt();
  return Loc;
}

SourcePlace::SourcePlace(const Instruction &I) {
  if (const llvm::Function *F = I.getFunction()) {
    Function = userName(*F);
    StringRef Name = F->getName();
    Name.consume_front("rg.primal.");
    Symbol = Name.str();
  }
  // Line 0 means "made by the compiler": its neighbours know better.
  const Instruction *Near = &I;
  for (unsigned Tries = 0; Near && Tries < 8;
       ++Tries, Near = Near->getPrevNode())
    if (const DebugLoc &Loc = Near->getDebugLoc(); Loc && Loc.getLine()) {
      const DILocation *Shown = skipOwnHeader(Loc.get());
      Debug = DiagnosticLocation(DebugLoc(Shown));
      // In inlined code the function that the user knows is the inlined one.
      if (const DISubprogram *SP = Shown->getScope()->getSubprogram())
        Function =
            userName(SP->getLinkageName().empty() ? SP->getName()
                                                  : SP->getLinkageName());
      break;
    }
  if (const MDNode *Node = I.getMetadata("srcloc");
      Node && Node->getNumOperands())
    if (auto *Value = mdconst::dyn_extract<ConstantInt>(Node->getOperand(0)))
      Cookie = Value->getZExtValue();
}

std::string SourcePlace::str() const {
  if (!Debug.isValid())
    return "";
  return (Debug.getRelativePath() + ":" + Twine(Debug.getLine()) + ":" +
          Twine(Debug.getColumn()))
      .str();
}

RequestTrail::RequestTrail(const Instruction &EntryCall,
                           const Function *Primal) {
  Steps.push_back(
      {Primal ? userName(*Primal) : std::string(), SourcePlace(EntryCall)});
}

RequestTrail RequestTrail::through(const Instruction &Call,
                                   const Function &Callee) const {
  return through(SourcePlace(Call), Callee);
}

RequestTrail RequestTrail::through(const SourcePlace &Place,
                                   const Function &Callee) const {
  RequestTrail Further = *this;
  Further.Steps.push_back({userName(Callee), Place});
  return Further;
}
