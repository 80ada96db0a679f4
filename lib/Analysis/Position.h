//===- Position.h - where a pointer may point in an object ------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_POSITION_H
#define RETROGRAD_ANALYSIS_POSITION_H

#include <cstdint>
#include <limits>
#include <numeric>

namespace retrograd {

/// The greatest step that reaches both. Offsets that a program computes from
/// garbage may differ by -2^63, which std::gcd does not take: then any byte may
/// be meant.
inline int64_t commonStride(int64_t A, int64_t B) {
  if (A == std::numeric_limits<int64_t>::min() ||
      B == std::numeric_limits<int64_t>::min())
    return 1;
  return std::gcd(A, B);
}

/// A modulo M, not negative.
inline int64_t floorMod(int64_t A, int64_t M) {
  int64_t R = A % M;
  return R < 0 ? R + M : R;
}

/// The set of bytes { Off + k * Stride } within [Lo, Hi) of an object. Off is
/// the least element when Lo is finite, otherwise the place that indices
/// count from.
struct Position {
  static constexpr int64_t NegInf = INT64_MIN / 4;
  static constexpr int64_t PosInf = INT64_MAX / 4;
  static constexpr unsigned None = ~0u;

  unsigned Obj = None;
  int64_t Off = 0;
  int64_t Stride = 0;
  int64_t Lo = 0;
  int64_t Hi = 1;

  bool valid() const { return Obj != None; }
  bool exact() const { return Stride == 0; }
  static Position at(unsigned Obj, int64_t Off) {
    return {Obj, Off, 0, Off, Off + 1};
  }
  /// The position D bytes further.
  Position shifted(int64_t D) const;
  /// Brings Off to the least element if there is one.
  void canonicalise();
  bool operator==(const Position &O) const {
    return Obj == O.Obj && Off == O.Off && Stride == O.Stride && Lo == O.Lo &&
           Hi == O.Hi;
  }
};

/// What a GEP adds to a position.
struct PointerStep {
  int64_t Const = 0;
  int64_t Stride = 0;
  /// The lower bound moves down by this (0: the index is not negative).
  int64_t Below = 0;
  int64_t Above = 0; ///< the upper bound moves up by this
  Position apply(Position P) const;
};

} // namespace retrograd

#endif
