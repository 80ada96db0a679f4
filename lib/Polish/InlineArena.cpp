//===- InlineArena.cpp - the tape's fast path in loops --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/InlineArena.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace retrograd;

/// The bump of the tape pointer is worth inlining where it runs often.
/// Elsewhere a call says more: that its result aliases nothing.
static bool isFastPath(const Function &F) {
  return F.getName() == "rg_tape_alloc" || F.getName() == "rg_tape_zalloc";
}

static bool inlineRuntime(Function &F, FunctionAnalysisManager &FAM) {
  SmallVector<CallBase *, 8> Calls;
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  for (Instruction &I : instructions(F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || Callee == &F || Callee->isDeclaration())
      continue;
    if (Callee->hasFnAttribute(Attribute::AlwaysInline) ||
        (isFastPath(*Callee) && LI.getLoopFor(Call->getParent())))
      Calls.push_back(Call);
  }
  auto Assumptions = [&](Function &G) -> AssumptionCache & {
    return FAM.getResult<AssumptionAnalysis>(G);
  };
  bool Changed = false;
  for (CallBase *Call : Calls) {
    InlineFunctionInfo Info(Assumptions);
    Changed |= InlineFunction(*Call, Info, /*MergeAttributes=*/false,
                              /*CalleeAAR=*/nullptr, /*InsertLifetime=*/false)
                   .isSuccess();
  }
  if (Changed)
    FAM.invalidate(F, PreservedAnalyses::none());
  return Changed;
}

void retrograd::inlineArena(Function &Derivative, ModuleAnalysisManager &MAM) {
  FunctionAnalysisManager &FAM =
      MAM.getResult<FunctionAnalysisManagerModuleProxy>(*Derivative.getParent())
          .getManager();
  if (inlineRuntime(Derivative, FAM)) {
    FunctionPassManager Tidy;
    Tidy.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
    Tidy.addPass(InstCombinePass());
    Tidy.addPass(SimplifyCFGPass());
    Tidy.run(Derivative, FAM);
  }
  FAM.invalidate(Derivative, PreservedAnalyses::none());
}
