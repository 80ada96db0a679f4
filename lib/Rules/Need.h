//===- Need.h - what the reverse sweep must have ----------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_RULES_NEED_H
#define RETROGRAD_RULES_NEED_H

#include "llvm/ADT/DenseMapInfo.h"
#include "llvm/IR/Value.h"

namespace retrograd {

/// Something of the primal sweep that the reverse sweep reads.
struct Need {
  enum Kind : uint8_t {
    Primal, ///< the value Of
    Shadow, ///< the shadow of the pointer (or bytes holding one) Of
    Pred,   ///< which predecessor block Of was entered from, as a number
    Tape,   ///< the tape that the differentiated call Of returned
    Count,  ///< iteration number at which the loop with header Of was left
    Last, ///< iteration in which the loop with header Of chose its result last,
          ///< -1 if in none (Choice)
    Won, ///< iteration that the extremum of the loop with header Of comes from,
         ///< -1 if from in front of it (Choice)
    Final,   ///< the value that the running pivot Of had last (RunningPivot)
    Records, ///< storage of the slots of the loop with header Of: its array,
             ///< or the record of its last iteration
    Snapshot ///< where the array that the load Of reads is kept as a whole
             ///< (Plan/Snapshots.h); Of is the first load of the array's
  } K = Primal;
  const llvm::Value *Of = nullptr;

  bool operator==(const Need &) const = default;
};

} // namespace retrograd

namespace llvm {
template <> struct DenseMapInfo<retrograd::Need> {
  static retrograd::Need getEmptyKey() {
    return {retrograd::Need::Primal,
            DenseMapInfo<const Value *>::getEmptyKey()};
  }
  static retrograd::Need getTombstoneKey() {
    return {retrograd::Need::Primal,
            DenseMapInfo<const Value *>::getTombstoneKey()};
  }
  static unsigned getHashValue(const retrograd::Need &N) {
    return DenseMapInfo<const Value *>::getHashValue(N.Of) * 7 + N.K;
  }
  static bool isEqual(const retrograd::Need &A, const retrograd::Need &B) {
    return A == B;
  }
};
} // namespace llvm

#endif
