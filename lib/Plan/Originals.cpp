//===- Originals.cpp - what memory held when the function began -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/Originals.h"
#include "Analysis/ArgumentRanges.h"
#include "Plan/PlanSubject.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace retrograd;

/// More iterations of the loops around L than places that it reads: loops move
/// its address by one and the same step, or not at all.
static bool readsAgain(const LoadInst &L, const LoopShape &Shape) {
  ScalarEvolution &SE = Shape.evolution();
  SmallPtrSet<const SCEV *, 4> Steps;
  const SCEV *S = SE.getSCEV(const_cast<Value *>(L.getPointerOperand()));
  while (const auto *R = dyn_cast<SCEVAddRecExpr>(S)) {
    if (!R->isAffine())
      return false;
    const SCEV *Step = R->getStepRecurrence(SE);
    if (!Steps.contains(SE.getNegativeSCEV(Step)))
      Steps.insert(Step);
    S = R->getStart();
  }
  return Steps.size() < Shape.loops().getLoopDepth(L.getParent());
}

SmallVector<Original, 2> retrograd::findOriginals(const PlanSubject &Subject) {
  SmallVector<Original, 2> Found;
  if (!Subject.Opts.NestArrays || Subject.Split ||
      Subject.Machine.manyThreads() ||
      !Subject.F.hasFnAttribute(DisjointShadows))
    return Found;
  for (Instruction &I : instructions(Subject.F)) {
    auto *L = dyn_cast<LoadInst>(&I);
    if (L && L->getType()->isFloatingPointTy() &&
        Subject.Shape.isLive(L->getParent()) &&
        Subject.Shape.loops().getLoopDepth(L->getParent()) > 1 &&
        !Subject.Overwrite.canRepeat(*L) && readsAgain(*L, Subject.Shape) &&
        ReadRange::of(*L, Subject.Shape.evolution()) &&
        Subject.Overwrite.isAsItWas(*L))
      Found.push_back({L});
  }
  return Found;
}
