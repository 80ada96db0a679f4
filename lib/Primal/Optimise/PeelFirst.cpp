//===- PeelFirst.cpp - loops that begin differently -----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries allocate what they need when they are first called: `if (first)
// resize();` within the loop over time steps. To everybody who looks at the
// loop each iteration may then allocate, so memory changes from step to step:
// pointers and their shadows are kept for every iteration, with the way that
// control took, and nothing that was stored is known to be what is loaded.
//
// Such a flag shows as a header phi that is one constant before the loop and
// another one after each iteration. The first iteration is peeled off; the flag
// is a constant in it and in the loop that is left, and folds. LLVM's own
// unroller knows the case, for innermost loops of some dozen instructions: what
// an allocation costs in size is out of its reach, and would not pay for itself
// without a derivative.
//
//===----------------------------------------------------------------------===//

#include "Primal/PrimalSteps.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopPeel.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace retrograd;

/// Loops up to this size (in instructions) are copied.
static constexpr unsigned LargestLoop = 2000;

/// Of a branch in L, directly or through a comparison with a constant.
static bool isCondition(const Value &V, const Loop &L, bool MayCompare = true) {
  return any_of(V.users(), [&](const User *U) {
    const auto *I = dyn_cast<Instruction>(U);
    if (!I || !L.contains(I))
      return false;
    if (isa<BranchInst, SwitchInst>(I))
      return true;
    return MayCompare && isa<ICmpInst>(I) && isa<Constant>(I->getOperand(1)) &&
           isCondition(*I, L, /*MayCompare=*/false);
  });
}

/// The header of L has a phi that tells the first iteration from all others,
/// and a branch asks it.
static bool beginsDifferently(const Loop &L) {
  const BasicBlock *Before = L.getLoopPredecessor(), *Latch = L.getLoopLatch();
  if (!Before || !Latch)
    return false;
  return any_of(L.getHeader()->phis(), [&](const PHINode &P) {
    // A constant expression or a global's address can be equal under another
    // name.
    auto IsKnown = [](const Value *V) {
      return isa<ConstantInt, ConstantPointerNull>(V);
    };
    const Value *First = P.getIncomingValueForBlock(Before),
                *Later = P.getIncomingValueForBlock(Latch);
    return IsKnown(First) && IsKnown(Later) && First != Later &&
           isCondition(P, L);
  });
}

/// Small enough, and of instructions that may be there twice.
static bool canCopy(const Loop &L) {
  size_t Size = 0;
  for (const BasicBlock *B : L.blocks()) {
    Size += B->size();
    for (const Instruction &I : *B) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (Call && (Call->cannotDuplicate() || Call->isConvergent()))
        return false;
    }
  }
  return Size <= LargestLoop && L.isSafeToClone();
}

/// Peels off the first iteration of loops of F that take another way in it. F
/// should be simplified afterwards. True if there was one.
bool retrograd::peelFirst(Function &F, FunctionAnalysisManager &FAM) {
  auto &LI = FAM.getResult<LoopAnalysis>(F);
  auto Wanted = [](const Loop *L) {
    return beginsDifferently(*L) && canCopy(*L);
  };
  if (none_of(LI.getLoopsInPreorder(), Wanted))
    return false;
  FunctionPassManager Shape;
  Shape.addPass(LoopSimplifyPass());
  Shape.addPass(LCSSAPass());
  FAM.invalidate(F, Shape.run(F, FAM));

  auto &Loops = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  auto &AC = FAM.getResult<AssumptionAnalysis>(F);
  bool Changed = false;
  // Outer loops first; the copy of an inner loop, in what was peeled off, is a
  // loop of its own and not looked at.
  for (Loop *L : Loops.getLoopsInPreorder()) {
    if (!Wanted(L) || !canPeel(L))
      continue;
    ValueToValueMapTy Copies;
    Changed |=
        peelLoop(L, /*PeelCount=*/1, /*PeelLast=*/false, &Loops, &SE, DT, &AC,
                 /*PreserveLCSSA=*/true, Copies);
  }
  FAM.invalidate(F, PreservedAnalyses::none());
  return Changed;
}
