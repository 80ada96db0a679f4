//===- Deferrals.h - which loops run in the reverse sweep -------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What DeferredLoops.h has found possible and the builder has chosen.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PLAN_DEFERRALS_H
#define RETROGRAD_PLAN_DEFERRALS_H

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"

namespace retrograd {

struct Deferrals {
  llvm::SetVector<const llvm::Loop *> Loops;
  /// Those whose results are asked for: their iterations run in the primal's
  /// order.
  llvm::SmallPtrSet<const llvm::Loop *, 4> Carrying;
  /// Those that run in the primal sweep as well, since somebody asks for their
  /// results. An iteration that is reversed runs again, from what its header
  /// phis were.
  llvm::SmallPtrSet<const llvm::Loop *, 4> Again;
  /// Stores of such loops that the second run leaves out.
  llvm::SmallVector<const llvm::StoreInst *, 4> OnceStores;
  /// What waits for results that deferred loops carry, until the reverse sweep
  /// is over: stores in the order of the program.
  llvm::SmallVector<const llvm::StoreInst *, 4> LateStores;
  bool LateReturn = false;

  bool isDeferred(const llvm::Loop *L) const { return L && Loops.contains(L); }
};

} // namespace retrograd

#endif
