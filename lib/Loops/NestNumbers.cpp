//===- NestNumbers.cpp - expressions as numbers of sets -------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scalar evolution says what a counter, a bound, an address is. What it says is
// modulo 2^64; integers of isl have no end. So parameters are asked to be small
// (Limit) where LLVM does not know that they are, and counts to be positive and
// as small where a loop is entered. With that, each expression has a reach, the
// most that it can be; what reaches beyond 2^60 is not taken. So nothing wraps.
//
//===----------------------------------------------------------------------===//

#include "Loops/Raiser.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include <cmath>

using namespace llvm;
using namespace retrograd;
using namespace retrograd::loops;

PwAff Raiser::constant(int64_t K, unsigned Dims) {
  return PwAff(isl_pw_aff_val_on_domain(universe(C, Dims).take(),
                                        isl_val_int_from_si(C, K)));
}

PwAff Raiser::counter(unsigned Index, unsigned Dims) {
  return PwAff(isl_pw_aff_var_on_domain(
      isl_local_space_from_space(isl_space_set_alloc(C, 0, Dims)), isl_dim_set,
      Index));
}

PwAff Raiser::parameter(const SCEV *S, unsigned Dims) {
  auto [At, New] = N.Parameters.insert({S, N.Parameters.size()});
  isl_id *Id =
      isl_id_alloc(C, ("p" + std::to_string(At->second)).c_str(), nullptr);
  if (New) {
    ConstantRange Range = SE.getSignedRange(S);
    const APInt Low = Range.getSignedMin(), High = Range.getSignedMax();
    auto Between = [&](int64_t From, int64_t To) {
      Set P(isl_set_universe(isl_space_params_alloc(C, 0)));
      PwAff X(isl_pw_aff_param_on_domain_id(P.copy(), isl_id_copy(Id)));
      auto Const = [&](int64_t K) {
        return isl_pw_aff_val_on_domain(P.copy(), isl_val_int_from_si(C, K));
      };
      return Set(isl_set_intersect(isl_pw_aff_ge_set(X.copy(), Const(From)),
                                   isl_pw_aff_le_set(X.copy(), Const(To))));
    };
    bool Small = Low.getSignificantBits() <= 33 &&
                 High.getSignificantBits() <= 33 &&
                 Low.getSExtValue() >= -Limit && High.getSExtValue() <= Limit;
    Set Bounds = Small ? Between(Low.getSExtValue(), High.getSExtValue())
                       : Between(-Limit, Limit);
    // A range says nothing about what is poison.
    if (Small && isDefined(S))
      N.Known = Set(isl_set_intersect(N.Known.take(), Bounds.copy()));
    N.Asked = Set(isl_set_intersect(N.Asked.take(), Bounds.take()));
  }
  return PwAff(isl_pw_aff_param_on_domain_id(universe(C, Dims).take(), Id));
}

/// Of steps that are not 1: a quotient of unsigned numbers, rounded down. What
/// is divided is not negative where the quotient is not.
PwAff Raiser::count(const SCEV *S, ArrayRef<Loop *> Loops) {
  const auto *D = dyn_cast<SCEVUDivExpr>(S);
  if (!D || invariant(S))
    return affine(S, Loops);
  const auto *By = dyn_cast<SCEVConstant>(D->getRHS());
  if (!By || By->getAPInt().getSignificantBits() > 20 || By->isZero())
    return PwAff();
  PwAff X = affine(D->getLHS(), Loops);
  if (!X)
    return X;
  return PwAff(isl_pw_aff_floor(isl_pw_aff_scale_down_val(
      X.take(), isl_val_int_from_si(C, By->getAPInt().getSExtValue()))));
}

/// S is surely neither undefined nor poison in front of the nest.
bool Raiser::isDefined(const SCEV *S) {
  switch (S->getSCEVType()) {
  case scConstant:
    return true;
  case scUnknown:
    return isGuaranteedNotToBeUndefOrPoison(
        cast<SCEVUnknown>(S)->getValue(), nullptr,
        N.Outer.getLoopPreheader()->getTerminator(), &N.DT);
  case scTruncate:
  case scZeroExtend:
  case scSignExtend:
    return isDefined(cast<SCEVCastExpr>(S)->getOperand());
  case scAddExpr:
  case scMulExpr:
  case scSMaxExpr:
  case scSMinExpr:
  case scUMaxExpr:
  case scUMinExpr:
    return cast<SCEVNAryExpr>(S)->getNoWrapFlags() == SCEV::FlagAnyWrap &&
           all_of(S->operands(), [&](const SCEV *Op) { return isDefined(Op); });
  default:
    return false;
  }
}

/// Reach: the greatest size of what was passed on the way.
PwAff Raiser::affine(const SCEV *S, ArrayRef<Loop *> Loops, double &Reach) {
  const unsigned Dims = Loops.size();
  const bool Wide =
      S->getType()->isPointerTy() || SE.getTypeSizeInBits(S->getType()) == 64;
  if (SE.getTypeSizeInBits(S->getType()) > 64)
    return PwAff();
  if (const auto *K = dyn_cast<SCEVConstant>(S)) {
    if (K->getAPInt().getSignificantBits() > 40)
      return PwAff();
    Reach = std::abs(double(K->getAPInt().getSExtValue()));
    return constant(K->getAPInt().getSExtValue(), Dims);
  }
  auto Join = [&](isl_pw_aff *(*How)(isl_pw_aff *, isl_pw_aff *)) {
    PwAff Sum;
    for (const SCEV *Op : cast<SCEVNAryExpr>(S)->operands()) {
      double Part = 0;
      PwAff X = affine(Op, Loops, Part);
      if (!X)
        return PwAff();
      Reach += Part;
      Sum = Sum ? PwAff(How(Sum.take(), X.take())) : X;
    }
    return Sum;
  };
  auto AllPositive = [&] {
    return all_of(cast<SCEVNAryExpr>(S)->operands(),
                  [&](const SCEV *Op) { return SE.isKnownNonNegative(Op); });
  };
  const bool Fixed = invariant(S);
  switch (S->getSCEVType()) {
  case scAddExpr:
    if (Wide || cast<SCEVAddExpr>(S)->hasNoSignedWrap())
      return Join(isl_pw_aff_add);
    break;
  case scMulExpr: {
    const auto *M = cast<SCEVMulExpr>(S);
    const auto *K = dyn_cast<SCEVConstant>(M->getOperand(0));
    if (!K || M->getNumOperands() != 2 ||
        K->getAPInt().getSignificantBits() > 32 ||
        !(Wide || M->hasNoSignedWrap()))
      break;
    PwAff X = affine(M->getOperand(1), Loops, Reach);
    Reach *= std::abs(double(K->getAPInt().getSExtValue()));
    return X ? PwAff(isl_pw_aff_scale_val(
                   X.take(),
                   isl_val_int_from_si(C, K->getAPInt().getSExtValue())))
             : PwAff();
  }
  case scSMaxExpr:
    return Join(isl_pw_aff_max);
  case scSMinExpr:
    return Join(isl_pw_aff_min);
  case scUMaxExpr:
    if (AllPositive())
      return Join(isl_pw_aff_max);
    break;
  case scUMinExpr:
    if (AllPositive())
      return Join(isl_pw_aff_min);
    break;
  case scZeroExtend:
  case scSignExtend: {
    const SCEV *X = cast<SCEVCastExpr>(S)->getOperand();
    if (!Fixed &&
        (S->getSCEVType() == scSignExtend || SE.isKnownNonNegative(X)))
      return affine(X, Loops, Reach);
    break;
  }
  case scAddRecExpr: {
    const auto *A = cast<SCEVAddRecExpr>(S);
    const auto *At = find(Loops, A->getLoop());
    // Of a loop around the nest, its counter is what does not change.
    const SCEV *Around = nullptr;
    if (Fixed && Wide && S->getType()->isIntegerTy())
      Around =
          SE.getAddRecExpr(SE.getZero(S->getType()), SE.getOne(S->getType()),
                           A->getLoop(), SCEV::FlagAnyWrap);
    if ((At == Loops.end() && !Around) || Around == S || !A->isAffine())
      break;
    const auto *Step = dyn_cast<SCEVConstant>(A->getStepRecurrence(SE));
    if (!Step || Step->getAPInt().getSignificantBits() > 32 ||
        !(Wide || A->hasNoSignedWrap())) {
      if (Fixed)
        break;
      return PwAff();
    }
    PwAff Start = affine(A->getStart(), Loops, Reach);
    if (!Start)
      return PwAff();
    Reach += std::abs(double(Step->getAPInt().getSExtValue())) * Limit;
    isl_pw_aff *I = isl_pw_aff_scale_val(
        (Around ? parameter(Around, Dims) : counter(At - Loops.begin(), Dims))
            .take(),
        isl_val_int_from_si(C, Step->getAPInt().getSExtValue()));
    return PwAff(isl_pw_aff_add(Start.take(), I));
  }
  default:
    break;
  }
  if (!Fixed || !S->getType()->isIntegerTy())
    return PwAff();
  Reach = Limit;
  return parameter(S, Dims);
}
