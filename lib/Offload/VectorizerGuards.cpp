//===- VectorizerGuards.cpp - what the vectoriser would get wrong ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Offload/VectorizerGuards.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using namespace retrograd;

/// Calls See with the width of every sequence of L that S extends: whatever an
/// extension holds of L was not seen to be without wrapping around.
template <typename Function>
static void forExtended(const SCEV *S, const Loop &L, Function See) {
  struct {
    const Loop &L;
    Function &See;
    bool follow(const SCEV *E) {
      if (isa<SCEVZeroExtendExpr, SCEVSignExtendExpr>(E)) {
        const SCEV *Op = cast<SCEVCastExpr>(E)->getOperand();
        if (SCEVExprContains(Op, [&](const SCEV *Part) {
              auto *Sequence = dyn_cast<SCEVAddRecExpr>(Part);
              return Sequence && Sequence->getLoop() == &L;
            }))
          See(Op->getType()->getIntegerBitWidth());
      }
      return true;
    }
    bool isDone() const { return false; }
  } Visitor{L, See};
  visitAll(S, Visitor);
}

/// Hides what extends a sequence of L of fewer bits than another. Once more if
/// that was seen behind what was hidden.
static bool hideNarrow(Loop &L, ScalarEvolution &SE) {
  SmallPtrSet<Instruction *, 16> Done; // nobody asks for them but the freeze
  for (bool Again = true; Again;) {
    Again = false;
    unsigned Widest = 0, Narrowest = ~0u;
    SmallVector<Instruction *, 64> Numbers;
    for (BasicBlock *BB : L.blocks())
      for (Instruction &I : *BB)
        if (SE.isSCEVable(I.getType()) && !Done.contains(&I)) {
          Numbers.push_back(&I);
          forExtended(SE.getSCEV(&I), L, [&](unsigned Width) {
            Widest = std::max(Widest, Width);
            Narrowest = std::min(Narrowest, Width);
          });
        }
    if (Narrowest >= Widest)
      break;
    SmallSetVector<Instruction *, 16> Narrow;
    for (Instruction *I : Numbers)
      forExtended(SE.getSCEV(I), L, [&](unsigned Width) {
        if (Width < Widest)
          Narrow.insert(I);
      });
    // What is narrow only by its operands is not once these are hidden.
    auto ByOperands = [&](const Instruction *I) {
      return isa<PHINode>(I)
                 ? I->getParent() == L.getHeader()
                 : any_of(I->operands(), [&](const Value *Op) {
                     auto *From = dyn_cast<Instruction>(Op);
                     return From &&
                            Narrow.contains(const_cast<Instruction *>(From));
                   });
    };
    SmallVector<Instruction *, 8> First;
    copy_if(Narrow, std::back_inserter(First), std::not_fn(ByOperands));
    for (Instruction *I : First) {
      IRBuilder<> B(I->getContext());
      const auto Behind = I->getInsertionPointAfterDef();
      assert(Behind && "a number that a block goes on behind");
      B.SetInsertPoint(*Behind);
      Value *Hidden = B.CreateFreeze(I, I->getName() + ".narrow");
      I->replaceUsesWithIf(Hidden,
                           [&](const Use &U) { return U.getUser() != Hidden; });
      Again |= Done.insert(I).second;
    }
    if (Again)
      SE.forgetLoop(&L);
  }
  return !Done.empty();
}

/// Computes in front of L what all its rounds divide alike.
static bool hoistDivisions(Loop &L) {
  BasicBlock *Front = L.getLoopPreheader();
  if (!Front)
    return false;
  bool Changed = false;
  for (bool Again = true; Again;) { // a quotient may be divided again
    Again = false;
    for (BasicBlock *BB : L.blocks())
      for (Instruction &I : make_early_inc_range(*BB)) {
        if (!I.isIntDivRem() || !L.hasLoopInvariantOperands(&I))
          continue;
        bool Signed = I.getOpcode() == Instruction::SDiv ||
                      I.getOpcode() == Instruction::SRem;
        Type *T = I.getType();
        IRBuilder<> B(Front->getTerminator());
        Value *X = B.CreateFreeze(I.getOperand(0)),
              *By = B.CreateFreeze(I.getOperand(1));
        Value *Bad = B.CreateICmpEQ(By, Constant::getNullValue(T));
        if (Signed) {
          Constant *Least = ConstantInt::get(
              T, APInt::getSignedMinValue(T->getScalarSizeInBits()));
          Bad = B.CreateOr(
              Bad, B.CreateAnd(B.CreateICmpEQ(By, Constant::getAllOnesValue(T)),
                               B.CreateICmpEQ(X, Least)));
        }
        I.setOperand(0, X);
        I.setOperand(1, B.CreateSelect(Bad, ConstantInt::get(T, 1), By));
        I.dropPoisonGeneratingFlags(); // they held under the condition
        I.moveBefore(Front->getTerminator()->getIterator());
        Again = Changed = true;
      }
  }
  return Changed;
}

PreservedAnalyses VectorizerGuardsPass::run(Function &F,
                                            FunctionAnalysisManager &AM) {
  bool Changed = false;
  for (Loop *L : AM.getResult<LoopAnalysis>(F).getLoopsInPreorder())
    if (L->isInnermost()) {
      auto &SE = AM.getResult<ScalarEvolutionAnalysis>(F);
      if (hoistDivisions(*L)) {
        SE.forgetLoop(L);
        Changed = true;
      }
      Changed |= hideNarrow(*L, SE);
    }
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}
