//===- AffineBounds.h - the least and the greatest value of a SCEV --------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Interval arithmetic over scalar evolutions. A recurrence {A,+,B}<loop> lies
// between A and its last value; what is left when all recurrences are gone is
// given: the user of this says what that may be.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_AFFINEBOUNDS_H
#define RETROGRAD_ANALYSIS_AFFINEBOUNDS_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

namespace retrograd {

/// Both null: not understood.
struct Interval {
  const llvm::SCEV *Low = nullptr, *High = nullptr;
  explicit operator bool() const { return Low; }
};

class AffineBounds {
public:
  enum Casts : uint8_t {
    Trusted, ///< bounds are mathematical integers: whether the machine's
             ///< integers wrapped is for those to check who compute them
    Refused  ///< none is made from narrower integers that vary
  };
  AffineBounds(llvm::ScalarEvolution &SE, Casts Narrow,
               llvm::function_ref<bool(const llvm::SCEV *)> IsGiven)
      : SE(SE), Narrow(Narrow), IsGiven(IsGiven) {}
  Interval of(const llvm::SCEV *S);

private:
  Interval ofRecurrence(const llvm::SCEVAddRecExpr &R);
  Interval ofProduct(const llvm::SCEVMulExpr &M);
  Interval ofMinMax(const llvm::SCEVMinMaxExpr &M);
  Interval ofSumWith(const llvm::SCEVAddExpr &A);
  const llvm::SCEV *countOf(const llvm::Loop &L, llvm::Type *T);
  Interval join(const Interval &A, const Interval &B);

  llvm::ScalarEvolution &SE;
  Casts Narrow;
  llvm::function_ref<bool(const llvm::SCEV *)> IsGiven;
  unsigned Steps = 0;
};

} // namespace retrograd

#endif
