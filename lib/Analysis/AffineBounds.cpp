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

/// S over integers as wide as T: sums, products, minima and recurrences of
/// numbers that are made wider one by one. Null where that is not all.
static const SCEV *widened(const SCEV *S, Type *T, ScalarEvolution &SE) {
  if (isa<SCEVConstant, SCEVUnknown>(S))
    return SE.getSignExtendExpr(S, T);
  SmallVector<const SCEV *, 4> Parts;
  if (isa<SCEVAddExpr, SCEVMulExpr, SCEVAddRecExpr, SCEVSMaxExpr, SCEVSMinExpr>(
          S))
    for (const SCEV *Part : S->operands()) {
      Parts.push_back(widened(Part, T, SE));
      if (!Parts.back())
        return nullptr;
    }
  switch (S->getSCEVType()) {
  case scAddExpr:
    return SE.getAddExpr(Parts);
  case scMulExpr:
    return SE.getMulExpr(Parts);
  case scAddRecExpr:
    return SE.getAddRecExpr(Parts, cast<SCEVAddRecExpr>(S)->getLoop(),
                            SCEV::FlagAnyWrap);
  case scSMaxExpr:
    return SE.getSMaxExpr(Parts);
  case scSMinExpr:
    return SE.getSMinExpr(Parts);
  default:
    return nullptr;
  }
}

/// How often the loop's back edge is taken, at most.
const SCEV *AffineBounds::countOf(const Loop &L, Type *T) {
  const SCEV *Count = SE.getBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute>(Count))
    Count = SE.getSymbolicMaxBackedgeTakenCount(&L);
  if (isa<SCEVCouldNotCompute>(Count) ||
      SE.getTypeSizeInBits(Count->getType()) > SE.getTypeSizeInBits(T))
    return nullptr;
  // "At most 2^64 - 1" says nothing, and would be taken for -1.
  if (const auto *C = dyn_cast<SCEVConstant>(Count);
      C && C->getAPInt().isNegative() && C->getType() == T)
    return nullptr;
  Count = SE.applyLoopGuards(Count, &L);
  // A count of narrower integers that might be negative, as far as they are
  // known. Over wide ones, smax(i + 1, n) - (i + 1) shows that it is not.
  if (Narrow == Trusted && Count->getType() != T && !IsGiven(Count) &&
      !SE.isKnownNonNegative(Count))
    if (const SCEV *Wide = widened(Count, T, SE))
      if (Interval X = of(Wide); X && SE.isKnownNonNegative(X.Low))
        return Wide;
  return SE.getNoopOrZeroExtend(Count, T);
}

Interval AffineBounds::ofRecurrence(const SCEVAddRecExpr &R) {
  const SCEV *Count =
      R.isAffine() ? countOf(*R.getLoop(), R.getType()) : nullptr;
  if (!Count)
    return {};
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

/// x + k * max(a, b) is max(x + k * a, x + k * b): what x has in common with a
/// and b is seen there. (For k < 0 a minimum.)
Interval AffineBounds::ofSumWith(const SCEVAddExpr &A) {
  for (const SCEV *Part : A.operands()) {
    const SCEV *Chosen = Part, *Factor = nullptr;
    if (const auto *M = dyn_cast<SCEVMulExpr>(Part);
        M && M->getNumOperands() == 2 && isa<SCEVConstant>(M->getOperand(0))) {
      Factor = M->getOperand(0);
      Chosen = M->getOperand(1);
    }
    if (!isa<SCEVSMaxExpr, SCEVSMinExpr>(Chosen))
      continue;
    bool IsMax =
        isa<SCEVSMaxExpr>(Chosen) !=
        (Factor && cast<SCEVConstant>(Factor)->getAPInt().isNegative());
    const SCEV *Others = SE.getMinusSCEV(&A, Part);
    Interval All;
    for (const SCEV *Choice : Chosen->operands()) {
      Interval X = of(SE.getAddExpr(
          Others, Factor ? SE.getMulExpr(Factor, Choice) : Choice));
      if (!X)
        return {};
      if (!All)
        All = X;
      else if (IsMax)
        All = {SE.getSMaxExpr(All.Low, X.Low),
               SE.getSMaxExpr(All.High, X.High)};
      else
        All = {SE.getSMinExpr(All.Low, X.Low),
               SE.getSMinExpr(All.High, X.High)};
    }
    return All;
  }
  return {};
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
    if (Interval X = ofSumWith(*A))
      return X;
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
