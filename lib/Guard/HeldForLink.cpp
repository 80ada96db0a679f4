//===- HeldForLink.cpp - derivatives that a link may differentiate --------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard/HeldForLink.h"
#include "Catalogue/Catalogue.h"
#include "Emit/Shortcuts.h"
#include "Polish/CleanUp.h"
#include "Polish/PolishSteps.h"
#include "Support/Options.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

/// On routines of the runtime that holdForLink keeps from being inlined.
static constexpr StringLiteral HeldAttribute = "rg-held";

void retrograd::holdForLink(Function &F) {
  if (F.hasFnAttribute(HeldAttribute))
    return;
  F.addFnAttr(HeldAttribute,
              F.hasFnAttribute(Attribute::NoInline) ? "" : "inline");
  F.addFnAttr(Attribute::NoInline);
}

void retrograd::holdForLink(Module &M, const Catalogue &Cat) {
  holdShortcuts(M);
  for (Function &F : M) {
    const OperationRecord *R =
        F.isDeclaration() || !F.getName().starts_with("rg_")
            ? nullptr
            : Cat.lookupFunction(F);
    if (!R || !R->OfRuntime || F.hasFnAttribute(Attribute::AlwaysInline))
      continue;
    holdForLink(F);
  }
}

void retrograd::nameHeld(Module &M) {
  for (Function &F : M)
    if (F.hasFnAttribute(HeldAttribute) && F.hasLocalLinkage()) {
      F.setLinkage(GlobalValue::LinkOnceODRLinkage);
      F.setVisibility(GlobalValue::HiddenVisibility);
    }
}

bool retrograd::releaseHeld(Module &M, ModuleAnalysisManager &MAM,
                            const Options &Opts) {
  bool Any = takeShortcuts(M);
  SetVector<Function *> Callers;
  for (Function &F : M) {
    if (!F.hasFnAttribute(HeldAttribute))
      continue;
    if (F.getFnAttribute(HeldAttribute).getValueAsString() == "inline")
      F.removeFnAttr(Attribute::NoInline);
    F.removeFnAttr(HeldAttribute);
    Any = true;
    for (User *U : F.users())
      if (auto *Call = dyn_cast<CallBase>(U))
        Callers.insert(Call->getFunction());
  }
  const StepRunner Steps(Opts);
  if (Opts.CleanUp)
    for (Function *F : Callers)
      if (!F->hasOptNone())
        Steps.run(step::InlineArena, *F, [&] { inlineFastPaths(*F, MAM); });
  return Any;
}
