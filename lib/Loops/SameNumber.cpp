//===- SameNumber.cpp - numbers that are the same on each way -------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM computes no number twice. Where a loop may not be entered, its number is
// known without being computed, and scalar evolution sees no counter any more:
//
//   for (i...) {                          for (i...) {
//     if (i != 0) {                         if (i != 0) {
//       row = i * n;                          row = i * n;
//       for (j = 0; j < i; ++j) ...           for (j = 0; j < i; ++j) ...
//     }                                     }
//     row' = phi(0, row);                   row' = i * n;
//
// Where the way from a branch i == c leads to such a phi with the constant that
// the other number is for i == c, it is the other number, computed again.
//
//===----------------------------------------------------------------------===//

#include "Loops/SameNumber.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace retrograd;

/// Is E, for the iteration of a loop in which the branch from From to To is
/// taken since its counter is a constant, the constant C?
static bool isThere(const SCEV *E, BasicBlock *From, BasicBlock *To,
                    const ConstantInt *C, ScalarEvolution &SE) {
  while (From->getSingleSuccessor() && From->getSinglePredecessor()) {
    To = From;
    From = From->getSinglePredecessor();
  }
  auto *Branch = dyn_cast<BranchInst>(From->getTerminator());
  const auto *R = dyn_cast<SCEVAddRecExpr>(E);
  if (!R || !R->isAffine() || !R->getLoop()->contains(To) ||
      !R->getLoop()->contains(From) || !Branch || !Branch->isConditional() ||
      Branch->getSuccessor(0) == Branch->getSuccessor(1))
    return false;
  auto *Cmp = dyn_cast<ICmpInst>(Branch->getCondition());
  if (!Cmp || !Cmp->isEquality() ||
      (Cmp->getPredicate() == ICmpInst::ICMP_EQ) !=
          (Branch->getSuccessor(0) == To) ||
      !SE.isSCEVable(Cmp->getOperand(0)->getType()))
    return false;
  const auto *Counter =
      dyn_cast<SCEVAddRecExpr>(SE.getSCEV(Cmp->getOperand(0)));
  const auto *Value = dyn_cast<SCEVConstant>(SE.getSCEV(Cmp->getOperand(1)));
  if (!Counter || !Value || Counter->getLoop() != R->getLoop() ||
      !Counter->isAffine())
    return false;
  // The counter has this value once, in iteration K, since its step is 1 and it
  // does not come round: SCEV computes as it does, modulo 2^bits.
  const auto *First = dyn_cast<SCEVConstant>(Counter->getStart());
  if (!First || !Counter->getStepRecurrence(SE)->isOne() ||
      !(Counter->hasNoSignedWrap() || Counter->hasNoUnsignedWrap()) ||
      SE.getTypeSizeInBits(Counter->getType()) !=
          SE.getTypeSizeInBits(R->getType()))
    return false;
  const SCEV *K = SE.getMinusSCEV(Value, First);
  return R->evaluateAtIteration(K, SE) ==
         SE.getSCEV(const_cast<ConstantInt *>(C));
}

bool loops::computeAgain(Function &F, LoopInfo &LI, ScalarEvolution &SE,
                         DominatorTree &DT) {
  SmallVector<std::pair<PHINode *, Instruction *>, 4> Same;
  for (BasicBlock &B : F) {
    if (!LI.getLoopFor(&B) || LI.isLoopHeader(&B))
      continue;
    for (PHINode &Phi : B.phis()) {
      if (Phi.getNumIncomingValues() != 2 || !Phi.getType()->isIntegerTy())
        continue;
      for (unsigned K : {0, 1}) {
        const auto *C = dyn_cast<ConstantInt>(Phi.getIncomingValue(K));
        Value *V = Phi.getIncomingValue(1 - K);
        // A phi in front of the loop's exit says the same.
        while (auto *Only = dyn_cast<PHINode>(V)) {
          if (Only->getNumIncomingValues() != 1)
            break;
          V = Only->getIncomingValue(0);
        }
        auto *I = dyn_cast<BinaryOperator>(V);
        if (!C || !I || I->isIntDivRem() || DT.dominates(I, &Phi) ||
            !all_of(I->operands(),
                    [&](Value *Op) { return DT.dominates(Op, &Phi); }))
          continue;
        if (isThere(SE.getSCEV(I), Phi.getIncomingBlock(K), &B, C, SE)) {
          Same.push_back({&Phi, I});
          break;
        }
      }
    }
  }
  for (auto &[Phi, I] : Same) {
    Instruction *Again = I->clone();
    Again->dropPoisonGeneratingFlags();
    Again->insertBefore(*Phi->getParent(),
                        Phi->getParent()->getFirstInsertionPt());
    SE.forgetValue(Phi);
    Phi->replaceAllUsesWith(Again);
    Phi->eraseFromParent();
  }
  return !Same.empty();
}
