//===- NarrowSums.cpp - integers that are made wider ----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/NarrowSums.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace retrograd;

/// The function makes V wider by zeros, and never by its sign.
static bool isWidenedByZeros(const Value &V) {
  auto Is = [](const User *U) { return isa<ZExtInst>(U); };
  return any_of(V.users(), Is) &&
         none_of(V.users(), [](const User *U) { return isa<SExtInst>(U); });
}

/// A number of the type To whose lower half is S. Null if none is seen. In the
/// terms that the function has for the wide numbers of others, if possible, so
/// that the two can be compared: of the parts of a sum, not of the whole.
const SCEV *NarrowSums::modulo(const SCEV *S, Type *To) const {
  if (const auto *T = dyn_cast<SCEVTruncateExpr>(S);
      T && T->getOperand()->getType() == To)
    return T->getOperand();
  if (!isa<SCEVAddExpr, SCEVMulExpr, SCEVAddRecExpr>(S)) {
    if (!IsGiven(S))
      return nullptr;
    const auto *U = dyn_cast<SCEVUnknown>(S);
    return U && isWidenedByZeros(*U->getValue()) ? SE.getZeroExtendExpr(S, To)
                                                 : SE.getSignExtendExpr(S, To);
  }
  SmallVector<const SCEV *, 4> Parts;
  for (const SCEV *Part : S->operands()) {
    Parts.push_back(modulo(Part, To));
    if (!Parts.back())
      return nullptr;
  }
  if (isa<SCEVAddExpr>(S))
    return SE.getAddExpr(Parts);
  if (isa<SCEVMulExpr>(S))
    return SE.getMulExpr(Parts);
  return SE.getAddRecExpr(Parts, cast<SCEVAddRecExpr>(S)->getLoop(),
                          SCEV::FlagAnyWrap);
}

const SCEV *NarrowSums::widen(const SCEVIntegralCastExpr *C, bool Signed) {
  if (IsGiven(C))
    return C;
  if (const SCEV *Known = Wide.lookup(C))
    return Known;
  const SCEV *Narrow = C->getOperand();
  const SCEV *Sum = modulo(Narrow, C->getType());
  Interval X = Sum ? AffineBounds(SE, AffineBounds::Trusted, IsGiven).of(Sum)
                   : Interval{};
  if (!X)
    return C;
  FitsNarrow Fits{
      X.Low, X.High,
      static_cast<unsigned>(SE.getTypeSizeInBits(Narrow->getType())), Signed};
  if (!is_contained(Fit, Fits))
    Fit.push_back(Fits);
  return Wide[C] = Sum;
}

const SCEV *NarrowSums::withoutCasts(const SCEV *S) {
  struct Rewriter : SCEVRewriteVisitor<Rewriter> {
    NarrowSums &Of;
    explicit Rewriter(NarrowSums &Of)
        : SCEVRewriteVisitor<Rewriter>(Of.SE), Of(Of) {}
    const SCEV *visitZeroExtendExpr(const SCEVZeroExtendExpr *C) {
      return Of.widen(C, /*Signed=*/false);
    }
    const SCEV *visitSignExtendExpr(const SCEVSignExtendExpr *C) {
      return Of.widen(C, /*Signed=*/true);
    }
  };
  return Rewriter(*this).visit(S);
}

WideNumbers NarrowSums::wideNumbers(Function &F) const {
  WideNumbers Found;
  for (Instruction &I : instructions(F))
    if (isa<CastInst, BinaryOperator>(I) && SE.isSCEVable(I.getType()))
      if (const SCEV *W = Wide.lookup(SE.getSCEV(&I)))
        Found.push_back({&I, W});
  return Found;
}

bool NarrowSums::isNarrow(const SCEV *S) const {
  return SCEVExprContains(S, [this](const SCEV *Part) {
    return isa<SCEVIntegralCastExpr>(Part) && !IsGiven(Part);
  });
}
