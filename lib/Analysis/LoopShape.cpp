//===- LoopShape.cpp - what reversal needs to know of a loop --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/LoopShape.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace retrograd;

LoopShape::LoopShape(Function &F, LoopInfo &LI, ScalarEvolution &SE)
    : F(F), LI(LI), SE(SE), Live(blocksThatReturn(F)) {
  for (Loop *L : LI.getLoopsInPreorder())
    analyseLoop(*L);
}

void LoopShape::analyseLoop(Loop &L) {
  LoopFacts &Facts = this->Facts[&L];

  // The bound is the least of the exit counts of the exits that can be taken
  // by a run that returns.
  SmallVector<BasicBlock *, 4> Exiting;
  L.getExitingBlocks(Exiting);
  const SCEV *Bound = nullptr;
  unsigned LiveExits = 0;
  bool AllKnown = true;
  for (BasicBlock *B : Exiting) {
    bool LeadsOn = any_of(successors(B), [&](BasicBlock *S) {
      return !L.contains(S) && isLive(S);
    });
    if (!LeadsOn)
      continue;
    ++LiveExits;
    const SCEV *Count = SE.getExitCount(&L, B);
    if (isa<SCEVCouldNotCompute>(Count) || !SE.isLoopInvariant(Count, &L) ||
        !Count->getType()->isIntegerTy() ||
        Count->getType()->getIntegerBitWidth() > 64) {
      AllKnown = false;
      continue;
    }
    if (!Bound) {
      Bound = Count;
      continue;
    }
    Type *Wide = SE.getWiderType(Bound->getType(), Count->getType());
    // Sequential: the count of a later exit may be poison where an earlier
    // one is taken at once.
    Bound = SE.getUMinExpr(SE.getNoopOrZeroExtend(Bound, Wide),
                           SE.getNoopOrZeroExtend(Count, Wide),
                           /*Sequential=*/true);
  }
  // With an exit of unknown count the other exits only give an upper bound,
  // which may be absurdly large (for (;;) with a guard): not used.
  if (Bound && AllKnown && L.getLoopPreheader()) {
    SCEVExpander Expander(SE, "rg");
    if (Expander.isSafeToExpandAt(Bound,
                                  L.getLoopPreheader()->getTerminator())) {
      Facts.BackedgeBound = Bound;
      Facts.Exact = LiveExits == 1;
    }
  }

  if (const auto *Most =
          dyn_cast<SCEVConstant>(SE.getConstantMaxBackedgeTakenCount(&L));
      Most && Most->getAPInt().getActiveBits() <= 32)
    Facts.MostTrips = Most->getAPInt().getZExtValue() + 1;

  BasicBlock *Preheader = L.getLoopPreheader();
  if (!Preheader || !L.getLoopLatch())
    return;
  for (PHINode &Phi : L.getHeader()->phis()) {
    if (!SE.isSCEVable(Phi.getType()))
      continue;
    const auto *Rec = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi));
    if (!Rec || Rec->getLoop() != &L || !Rec->isAffine())
      continue;
    AffinePhi A;
    A.Start = Phi.getIncomingValueForBlock(Preheader);
    const SCEV *Step = Rec->getStepRecurrence(SE);
    if (const auto *C = dyn_cast<SCEVConstant>(Step)) {
      if (C->getAPInt().getSignificantBits() > 64)
        continue;
      A.ConstantStep = C->getAPInt().getSExtValue();
    } else if (const auto *U = dyn_cast<SCEVUnknown>(Step)) {
      if (!L.isLoopInvariant(U->getValue()) || !U->getType()->isIntegerTy())
        continue;
      A.InvariantStep = U->getValue();
    } else if (const auto *Next = dyn_cast<BinaryOperator>(
                   Phi.getIncomingValueForBlock(L.getLoopLatch()));
               Next && Next->getOpcode() == Instruction::Add &&
               is_contained(Next->operands(), &Phi)) {
      // Grid-stride loops: a product of the launch's sizes.
      A.InvariantStep = Next->getOperand(Next->getOperand(0) == &Phi);
      if (!L.isLoopInvariant(A.InvariantStep))
        continue;
    } else {
      continue;
    }
    Affine[&Phi] = A;
  }
}

void LoopShape::print(raw_ostream &OS) const {
  OS << "loops of " << F.getName() << ":\n";
  for (const Loop *L : LI.getLoopsInPreorder()) {
    OS.indent(2 * L->getLoopDepth());
    L->getHeader()->printAsOperand(OS, false);
    const LoopFacts &Facts = facts(L);
    if (Facts.BackedgeBound)
      OS << (Facts.Exact ? " backedges = " : " backedges <= ")
         << *Facts.BackedgeBound;
    else
      OS << " backedges unknown";
    for (PHINode &Phi : L->getHeader()->phis())
      if (const AffinePhi *A = affine(&Phi)) {
        OS << ", affine ";
        Phi.printAsOperand(OS, false);
        OS << " from ";
        A->Start->printAsOperand(OS, false);
        OS << " step ";
        if (A->InvariantStep)
          A->InvariantStep->printAsOperand(OS, false);
        else
          OS << A->ConstantStep;
      }
    OS << '\n';
  }
}
