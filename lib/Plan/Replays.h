//===- Replays.h - arrays that each iteration fills anew --------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On GPUs memory is dear and arithmetic is cheap: an array that each iteration
// of a loop fills before it reads it is filled again by the reverse sweep
// instead of being kept.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PLAN_REPLAYS_H
#define RETROGRAD_PLAN_REPLAYS_H

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Loop;
class StoreInst;
class Value;
} // namespace llvm

namespace retrograd {

struct PlanSubject;

/// A local or shared array whose contents each iteration of a loop makes anew,
/// before it reads them: the reverse sweep makes them again when it enters the
/// iteration. What threads share they make together, between two barriers.
struct Replay {
  /// A store, and the condition that it runs under, if any: of a shared array
  /// (`if (thread < count) tile[thread] = ...`).
  struct Filling {
    const llvm::StoreInst *Store;
    const llvm::Value *Condition = nullptr;
    bool OnTrue = true;
  };
  const llvm::Value *Array = nullptr;
  bool Shared = false;
  const llvm::Loop *Of = nullptr;
  /// All that write it, in order.
  llvm::SmallVector<Filling, 8> Stores;
  bool Used = false; ///< some load of it is repeated
};

/// The replays that the primal allows; none where the target keeps instead.
llvm::SmallVector<Replay, 2> findReplays(const PlanSubject &Subject);

} // namespace retrograd

#endif
