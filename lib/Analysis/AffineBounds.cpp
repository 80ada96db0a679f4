//===- AffineBounds.cpp - the least and the greatest value of a SCEV ------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/AffineBounds.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"

using namespace llvm;
using namespace retrograd;

Interval AffineBounds::join(const Interval &A, const Interval &B) {
  if (!A || !B)
    return {};
  return {A.Low == B.Low ? A.Low : SE.getSMinExpr(A.Low, B.Low),
          A.High == B.High ? A.High : SE.getSMaxExpr(A.High, B.High)};
}

Interval AffineBounds::ofRecurrence(const SCEVAddRecExpr &R) {
  if (!R.isAffine())
    return {};
  const Loop *L = R.getLoop();
  const SCEV *Count = SE.getBackedgeTakenCount(L);
  if (isa<SCEVCouldNotCompute>(Count))
    Count = SE.getSymbolicMaxBackedgeTakenCount(L);
  if (isa<SCEVCouldNotCompute>(Count) ||
      SE.getTypeSizeInBits(Count->getType()) >
          SE.getTypeSizeInBits(R.getType()))
    return {};
  Count = SE.getNoopOrZeroExtend(SE.applyLoopGuards(Count, L), R.getType());
  const SCEV *Last = SE.getAddExpr(
      R.getStart(), SE.getMulExpr(R.getStepRecurrence(SE), Count));
  Interval First = of(R.getStart()), End = of(Last);
  if (!First || !End)
    return {};
  if (SE.isKnownNonNegative(R.getStepRecurrence(SE)))
    return {First.Low, End.High};
  if (SE.isKnownNonPositive(R.getStepRecurrence(SE)))
    return {End.Low, First.High};
  return join(First, End);
}

/// A product in which only one factor varies.
Interval AffineBounds::ofProduct(const SCEVMulExpr &M) {
  SmallVector<const SCEV *, 4> Given;
  const SCEV *Varying = nullptr;
  for (const SCEV *Factor : M.operands()) {
    if (IsGiven(Factor))
      Given.push_back(Factor);
    else if (Varying)
      return {};
    else
      Varying = Factor;
  }
  Interval X = of(Varying);
  if (!X)
    return {};
  const SCEV *By = SE.getMulExpr(Given);
  Interval Product{SE.getMulExpr(X.Low, By), SE.getMulExpr(X.High, By)};
  if (SE.isKnownNonNegative(By))
    return Product;
  if (SE.isKnownNonPositive(By))
    return {Product.High, Product.Low};
  return join({Product.Low, Product.Low}, {Product.High, Product.High});
}

Interval AffineBounds::ofMinMax(const SCEVMinMaxExpr &M) {
  bool IsSigned = isa<SCEVSMaxExpr>(M) || isa<SCEVSMinExpr>(M);
  bool IsMax = isa<SCEVSMaxExpr>(M) || isa<SCEVUMaxExpr>(M);
  Interval All;
  for (const SCEV *Part : M.operands()) {
    Interval X = of(Part);
    if (!X || (!IsSigned && !SE.isKnownNonNegative(Part)))
      return {};
    if (!All)
      All = X;
    else if (IsMax)
      All = {SE.getSMaxExpr(All.Low, X.Low), SE.getSMaxExpr(All.High, X.High)};
    else
      All = {SE.getSMinExpr(All.Low, X.Low), SE.getSMinExpr(All.High, X.High)};
  }
  return All;
}

Interval AffineBounds::of(const SCEV *S) {
  if (IsGiven(S))
    return {S, S};
  constexpr unsigned MostSteps = 400; // of one place: nests of ten loops
  if (++Steps > MostSteps)
    return {};
  if (const auto *R = dyn_cast<SCEVAddRecExpr>(S))
    return ofRecurrence(*R);
  if (const auto *M = dyn_cast<SCEVMulExpr>(S))
    return ofProduct(*M);
  if (const auto *M = dyn_cast<SCEVMinMaxExpr>(S))
    return ofMinMax(*M);
  if (const auto *A = dyn_cast<SCEVAddExpr>(S)) {
    SmallVector<const SCEV *, 4> Lows, Highs;
    for (const SCEV *Part : A->operands()) {
      Interval X = of(Part);
      if (!X)
        return {};
      Lows.push_back(X.Low);
      Highs.push_back(X.High);
    }
    return {SE.getAddExpr(Lows), SE.getAddExpr(Highs)};
  }
  const auto *Cast = dyn_cast<SCEVIntegralCastExpr>(S);
  if (!Cast || isa<SCEVTruncateExpr>(Cast) ||
      (isa<SCEVZeroExtendExpr>(Cast) &&
       !SE.isKnownNonNegative(Cast->getOperand())))
    return {};
  Interval X = Narrow == Refused ? Interval() : of(Cast->getOperand());
  if (!X)
    return {};
  return {SE.getSignExtendExpr(X.Low, S->getType()),
          SE.getSignExtendExpr(X.High, S->getType())};
}
