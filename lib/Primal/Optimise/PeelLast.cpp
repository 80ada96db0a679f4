//===- PeelLast.cpp - loops that end differently --------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a torus the last cell of a row has the first one for its neighbour:
//
//   for j: right = j == n - 1 ? 0 : j + 1; k[j] = f(u[j], u[right])
//
// The place of u[right] is one behind that of u[j], but for one iteration. So
// the vectoriser gathers it, number by number, in the primal and wherever the
// reverse reads it again, and what the reverse adds there may be anywhere. The
// last iteration is peeled off, and all places of the loop that is left move
// with the iteration.
//
// LLVM's own unroller knows the case, but looks at a loop once: of one that
// begins and ends differently it peels the first iteration.
//
// Handled are innermost loops of up to some dozen instructions, in which a
// choice compares the iteration with the last one, and a place depends on it.
//
//===----------------------------------------------------------------------===//

#include "Primal/PrimalSteps.h"
#include "Target/Target.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopPeel.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace retrograd;

/// Some address in L is made of V.
static bool leadsToAddress(const Value &V, const Loop &L) {
  SmallPtrSet<const Value *, 16> Seen;
  SmallVector<const Value *, 16> Work{&V};
  while (!Work.empty() && Seen.size() < 64)
    for (const User *U : Work.pop_back_val()->users()) {
      const auto *I = dyn_cast<Instruction>(U);
      if (!I || !L.contains(I) || isa<PHINode>(I))
        continue;
      if (isa<GetElementPtrInst>(I))
        return true;
      if (I->getType()->isIntegerTy() && Seen.insert(I).second)
        Work.push_back(I);
    }
  return false;
}

/// A number of L's, as it is in the last iteration, is the same as Stays.
static bool isLast(const SCEVAddRecExpr &A, const SCEV *Stays, const Loop &L,
                   ScalarEvolution &SE) {
  const SCEV *Backedges = SE.getBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute>(Backedges))
    return false;
  const SCEV *Last = A.evaluateAtIteration(Backedges, SE);
  if (SE.isKnownPredicate(ICmpInst::ICMP_EQ, Last, Stays))
    return true;
  // (zext i32 n) - 1 and zext i32 (n - 1): the last number of those that go up
  // from 0 or more, which has no more bits than the other.
  const auto *Narrow = dyn_cast<SCEVZeroExtendExpr>(Stays);
  if (!Narrow || !A.hasNoSignedWrap() || !SE.isKnownNonNegative(A.getStart()))
    return false;
  const unsigned Bits = SE.getTypeSizeInBits(Narrow->getOperand()->getType());
  return SE.getSignedRangeMax(Last).isSignedIntN(Bits + 1) &&
         SE.getTruncateExpr(Last, Narrow->getOperand()->getType()) ==
             Narrow->getOperand();
}

/// A comparison that comes out otherwise in the last iteration of L than in all
/// others, and by which a place is chosen.
static bool asksForLast(const Instruction &I, const Loop &L,
                        ScalarEvolution &SE) {
  const auto *C = dyn_cast<ICmpInst>(&I);
  if (!C || !C->isEquality() || !SE.isSCEVable(C->getOperand(0)->getType()) ||
      !C->getOperand(0)->getType()->isIntegerTy() ||
      none_of(C->users(), [&](const User *U) {
        const auto *S = dyn_cast<SelectInst>(U);
        return S && S->getCondition() == C && S->getType()->isIntegerTy() &&
               L.contains(S) && leadsToAddress(*S, L);
      }))
    return false;
  const SCEV *Moves = SE.getSCEV(C->getOperand(0)),
             *Stays = SE.getSCEV(C->getOperand(1));
  if (SE.isLoopInvariant(Moves, &L))
    std::swap(Moves, Stays);
  // It comes by each number once.
  const auto *A = dyn_cast<SCEVAddRecExpr>(Moves);
  return A && A->getLoop() == &L && A->isAffine() &&
         A->getStepRecurrence(SE)->isOne() && A->hasNoSelfWrap() &&
         SE.isLoopInvariant(Stays, &L) && isLast(*A, Stays, L, SE);
}

/// Small enough, and of instructions that may be there twice.
static bool canCopy(const Loop &L) {
  constexpr size_t LargestLoop = 200;
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

/// Rows that begin and end apart are no whole number of vectors: what is left
/// of one is half as long if vectors are. Only of loops that go through memory
/// number by number, which the vectoriser takes.
static void runInHalfVectors(Loop &L, ScalarEvolution &SE,
                             const TargetTransformInfo &TTI) {
  constexpr unsigned Longest = 512;
  if (L.getNumBlocks() != 1 ||
      TTI.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
              .getFixedValue() < Longest)
    return;
  PredicatedScalarEvolution Places(SE, L);
  unsigned Bits = 0;
  for (Instruction &I : *L.getHeader()) {
    if (!I.mayReadOrWriteMemory())
      continue;
    Value *P = getLoadStorePointerOperand(&I);
    Type *T = P ? getLoadStoreType(&I) : nullptr;
    if (!T || !T->isFloatingPointTy())
      return;
    const SCEVAddRecExpr *A =
        L.isLoopInvariant(P) ? nullptr : Places.getAsAddRec(P);
    if (!L.isLoopInvariant(P) &&
        (!A || A->getStepRecurrence(SE) !=
                   SE.getConstant(A->getStepRecurrence(SE)->getType(),
                                  T->getScalarSizeInBits() / 8)))
      return;
    Bits = std::max(Bits, T->getScalarSizeInBits());
  }
  if (Bits)
    addStringMetadataToLoop(&L, "llvm.loop.vectorize.width",
                            Longest / 2 / Bits);
}

static SmallVector<ICmpInst *, 4> questionsIn(const Loop &L,
                                              ScalarEvolution &SE) {
  SmallVector<ICmpInst *, 4> Found;
  if (L.isInnermost() && canCopy(L))
    for (BasicBlock *B : L.blocks())
      for (Instruction &I : *B)
        if (asksForLast(I, L, SE))
          Found.push_back(cast<ICmpInst>(&I));
  return Found;
}

/// Peels off the last iteration of innermost loops of F in which a place is
/// another one. F should be simplified afterwards. True if there was one.
bool retrograd::peelLast(Function &F, FunctionAnalysisManager &FAM) {
  if (Target(*F.getParent()).manyThreads())
    return false;
  {
    auto &Loops = FAM.getResult<LoopAnalysis>(F);
    auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
    if (none_of(Loops.getLoopsInPreorder(),
                [&](const Loop *L) { return !questionsIn(*L, SE).empty(); }))
      return false;
  }
  FunctionPassManager Shape;
  Shape.addPass(LoopSimplifyPass());
  Shape.addPass(LCSSAPass());
  FAM.invalidate(F, Shape.run(F, FAM));

  auto &Loops = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &SE = FAM.getResult<ScalarEvolutionAnalysis>(F);
  auto &AC = FAM.getResult<AssumptionAnalysis>(F);
  bool Changed = false;
  for (Loop *L : Loops.getLoopsInPreorder()) {
    SmallVector<ICmpInst *, 4> Questions = questionsIn(*L, SE);
    if (Questions.empty() || !canPeel(L) || !canPeelLastIteration(*L, SE))
      continue;
    ValueToValueMapTy Copies;
    if (!peelLoop(L, /*PeelCount=*/1, /*PeelLast=*/true, &Loops, &SE, DT, &AC,
                  /*PreserveLCSSA=*/true, Copies))
      continue;
    Changed = true;
    for (ICmpInst *C : Questions) {
      const bool IsEqual = C->getPredicate() == ICmpInst::ICMP_EQ;
      Value *InLast = Copies.lookup(C);
      InLast->replaceAllUsesWith(ConstantInt::getBool(C->getType(), IsEqual));
      C->replaceAllUsesWith(ConstantInt::getBool(C->getType(), !IsEqual));
    }
    SE.forgetLoop(L);
    runInHalfVectors(*L, SE, FAM.getResult<TargetIRAnalysis>(F));
  }
  FAM.invalidate(F, PreservedAnalyses::none());
  return Changed;
}
