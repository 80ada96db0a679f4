//===- KeepRules.cpp - functions with rules of the user -------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard/KeepRules.h"
#include "Request/Registrations.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;
using namespace retrograd;

/// What the linkage was.
static constexpr StringLiteral LinkageAttribute = "rg-linkage";
/// The function is noinline only since it is kept; "always": it was to be
/// inlined always.
static constexpr StringLiteral ApartAttribute = "rg-apart";

bool retrograd::releaseRules(Module &M, bool Last) {
  bool Any = false;
  for (Function &F : M) {
    unsigned Was;
    if (F.getFnAttribute(LinkageAttribute)
            .getValueAsString()
            .getAsInteger(10, Was))
      continue;
    if (!Last && !GlobalValue::isLocalLinkage(GlobalValue::LinkageTypes(Was)))
      continue;
    F.setLinkage(GlobalValue::LinkageTypes(Was));
    F.removeFnAttr(LinkageAttribute);
    Any = true;
  }
  return Any;
}

bool retrograd::releaseApart(Module &M) {
  bool Any = false;
  for (Function &F : M) {
    if (!F.hasFnAttribute(ApartAttribute))
      continue;
    F.removeFnAttr(Attribute::NoInline);
    if (F.getFnAttribute(ApartAttribute).getValueAsString() == "always")
      F.addFnAttr(Attribute::AlwaysInline);
    F.removeFnAttr(ApartAttribute);
    Any = true;
  }
  return Any;
}

PreservedAnalyses KeepRulesPass::run(Module &M, ModuleAnalysisManager &) {
  SmallVector<GlobalValue *, 4> Kept;
  for (GlobalVariable &G : M.globals())
    if (isRegistration(G) && G.hasInitializer())
      Kept.push_back(&G);
  bool Changed = !Kept.empty();
  if (Changed)
    appendToCompilerUsed(M, Kept);
  for (const Registration &R : collectRegistrations(M)) {
    if (R.K == Registration::NoEffect)
      continue;
    auto KeepApart = [&](GlobalObject *O) {
      auto *F = dyn_cast_or_null<Function>(O);
      if (!F || F->isDeclaration() || F->hasFnAttribute(LinkageAttribute))
        return;
      if (!F->hasFnAttribute(Attribute::NoInline))
        F->addFnAttr(ApartAttribute, F->hasFnAttribute(Attribute::AlwaysInline)
                                         ? "always"
                                         : "");
      F->removeFnAttr(Attribute::AlwaysInline);
      F->addFnAttr(Attribute::NoInline);
      F->addFnAttr(LinkageAttribute, std::to_string(F->getLinkage()));
      if (!F->hasAvailableExternallyLinkage())
        F->setLinkage(GlobalValue::WeakAnyLinkage);
      Changed = true;
    };
    KeepApart(R.Of);
    // What frees is a deallocation, too.
    if (R.K == Registration::AllocationLike && !R.Operands.empty())
      KeepApart(registeredFunction(R.Operands.back()));
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

void retrograd::removeKept(Module &M) {
  removeFromUsedLists(M, [](Constant *C) {
    return C->stripPointerCasts()->getName().starts_with(KeptName);
  });
  for (GlobalVariable &G : make_early_inc_range(M.globals()))
    if (G.getName().starts_with(KeptName) && G.use_empty())
      G.eraseFromParent();
}
