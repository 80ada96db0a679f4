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
#include "Polish/InlineArena.h"
#include "Polish/PolishSteps.h"
#include "Support/Options.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace retrograd;

/// On functions that hold keeps from being inlined.
static constexpr StringLiteral HeldAttribute = "rg-held";
/// The body is for inlining alone; LLVM would drop it before derivatives are
/// made.
static constexpr StringLiteral ExternAttribute = "rg-held-extern";

void retrograd::hold(Function &F) {
  if (F.hasFnAttribute(HeldAttribute))
    return;
  F.addFnAttr(HeldAttribute, F.hasFnAttribute(Attribute::NoInline) ? ""
                             : F.hasFnAttribute(Attribute::AlwaysInline)
                                 ? "always"
                                 : "inline");
  F.removeFnAttr(Attribute::AlwaysInline);
  F.addFnAttr(Attribute::NoInline);
  if (F.hasAvailableExternallyLinkage()) {
    F.addFnAttr(ExternAttribute);
    F.setLinkage(GlobalValue::LinkOnceODRLinkage);
  }
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
    hold(F);
  }
}

void retrograd::nameHeld(Module &M) {
  for (Function &F : M)
    if (F.hasFnAttribute(HeldAttribute) && F.hasLocalLinkage()) {
      F.setLinkage(GlobalValue::LinkOnceODRLinkage);
      F.setVisibility(GlobalValue::HiddenVisibility);
    }
}

/// What the host's inliner would have done with calls of the functions that
/// were held, had it met them.
static bool inlineReleased(Function &Caller, FunctionAnalysisManager &FAM,
                           const SmallPtrSetImpl<const Function *> &Released) {
  constexpr unsigned Most = 2000; // instructions
  auto Assumptions = [&](Function &F) -> AssumptionCache & {
    return FAM.getResult<AssumptionAnalysis>(F);
  };
  auto Library = [&](Function &F) -> const TargetLibraryInfo & {
    return FAM.getResult<TargetLibraryAnalysis>(F);
  };
  const InlineParams Params = getInlineParams();
  SmallVector<CallBase *, 16> Calls;
  auto Add = [&](Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (Callee && Callee != &Caller && Released.contains(Callee) &&
        !Callee->isDeclaration() && !Call->isNoInline())
      Calls.push_back(Call);
  };
  for_each(instructions(Caller), Add);
  unsigned Grown = 0;
  bool Changed = false;
  for (unsigned Next = 0; Next != Calls.size() && Grown < Most; ++Next) {
    CallBase &Call = *Calls[Next];
    Function &Callee = *Call.getCalledFunction();
    InlineCost Cost =
        getInlineCost(Call, Params, FAM.getResult<TargetIRAnalysis>(Callee),
                      Assumptions, Library);
    if (!Cost)
      continue;
    InlineFunctionInfo Info(Assumptions);
    if (!InlineFunction(Call, Info, /*MergeAttributes=*/true).isSuccess())
      continue;
    Changed = true;
    Grown += Callee.getInstructionCount();
    for (CallBase *Inner : Info.InlinedCallSites)
      Add(*Inner);
  }
  return Changed;
}

bool retrograd::releaseHeld(Module &M, ModuleAnalysisManager &MAM,
                            const Options &Opts, bool AtLink) {
  bool Any = takeShortcuts(M);
  SetVector<Function *> Callers;
  SmallPtrSet<const Function *, 16> Released;
  SmallVector<Function *, 16> Extern;
  for (Function &F : M) {
    if (!F.hasFnAttribute(HeldAttribute))
      continue;
    StringRef Before = F.getFnAttribute(HeldAttribute).getValueAsString();
    if (!Before.empty()) {
      F.removeFnAttr(Attribute::NoInline);
      if (Before == "always")
        F.addFnAttr(Attribute::AlwaysInline);
      Released.insert(&F);
    }
    F.removeFnAttr(HeldAttribute);
    if (F.hasFnAttribute(ExternAttribute)) {
      F.removeFnAttr(ExternAttribute);
      // The linker saw a definition, and looks for no other one.
      if (!AtLink)
        Extern.push_back(&F);
    }
    Any = true;
    for (User *U : F.users())
      if (auto *Call = dyn_cast<CallBase>(U))
        Callers.insert(Call->getFunction());
  }
  const StepRunner Steps(Opts);
  FunctionAnalysisManager &FAM =
      MAM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  for (Function *F : Callers) {
    if (F->hasOptNone())
      continue;
    if (Opts.CleanUp)
      Steps.run(step::InlineArena, *F, [&] { inlineArena(*F, MAM); });
    if (inlineReleased(*F, FAM, Released)) {
      FAM.invalidate(*F, PreservedAnalyses::none());
      FunctionPassManager Tidy;
      Tidy.addPass(SROAPass(SROAOptions::ModifyCFG));
      Tidy.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
      Tidy.addPass(InstCombinePass());
      Tidy.addPass(SimplifyCFGPass());
      Tidy.run(*F, FAM);
      FAM.invalidate(*F, PreservedAnalyses::none());
    }
  }
  // Others have the bodies, as before.
  for (Function *F : Extern) {
    FAM.clear(*F, F->getName());
    F->deleteBody();
    F->setLinkage(GlobalValue::ExternalLinkage);
  }
  return Any;
}
