//===- NarrowSums.h - integers that are made wider --------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// a[i * n + j] with indices of type int: the sum is one of 32 bits, and may
// wrap around before it is made as wide as an address, so it is not affine. It
// is what a sum of wide integers is, if that is a number that fits into the
// narrow ones in all iterations: sums and products of integers are right modulo
// 2^32, wherever they wrap on the way. Whoever can compute the bounds of the
// wide sum can ask that.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_NARROWSUMS_H
#define RETROGRAD_ANALYSIS_NARROWSUMS_H

#include "Analysis/AffineBounds.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <functional>

namespace retrograd {

/// [Low, High] of a sum whose lower half is made wider by its sign, or by
/// zeros: it has to be a number that fits.
struct FitsNarrow {
  const llvm::SCEV *Low, *High;
  unsigned Bits;
  bool Signed;
  bool operator==(const FitsNarrow &) const = default;
};

/// Integers of a function, and what they are where all sums fit.
using WideNumbers =
    llvm::SmallVector<std::pair<llvm::Instruction *, const llvm::SCEV *>, 8>;

class NarrowSums {
public:
  /// IsGiven: whoever asks can compute it.
  NarrowSums(llvm::ScalarEvolution &SE,
             std::function<bool(const llvm::SCEV *)> IsGiven)
      : SE(SE), IsGiven(std::move(IsGiven)) {}

  /// S over wide integers, as far as that can be said; right where all of fit()
  /// fits.
  const llvm::SCEV *withoutCasts(const llvm::SCEV *S);
  /// S has casts that vary.
  bool isNarrow(const llvm::SCEV *S) const;

  llvm::ArrayRef<FitsNarrow> fit() const { return Fit; }
  /// What F computes by casts, or by shifts that are some, and what
  /// withoutCasts has put for it.
  WideNumbers wideNumbers(llvm::Function &F) const;

private:
  const llvm::SCEV *modulo(const llvm::SCEV *S, llvm::Type *To) const;
  const llvm::SCEV *widen(const llvm::SCEVIntegralCastExpr *C, bool Signed);

  llvm::ScalarEvolution &SE;
  std::function<bool(const llvm::SCEV *)> IsGiven;
  llvm::SmallVector<FitsNarrow, 8> Fit;
  llvm::DenseMap<const llvm::SCEV *, const llvm::SCEV *> Wide;
};

} // namespace retrograd

#endif
