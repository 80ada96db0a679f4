//===- ShiftInvariance.h - values that results do not depend on -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The largest of some numbers, taken off each of them in front of an
// exponential, is there to avoid overflow: what comes out in the end is the
// same for whatever else would have been taken off. So it has an adjoint of
// zero. This finds such values, *pivots*: it follows how a value changes when a
// pivot is shifted by d (by a d, or by a factor exp(w d)), up to where
// something leaves the function. If none of that changes, the value is a pivot.
//
// In a loop each iteration may have a pivot of its own, as a running maximum.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_SHIFTINVARIANCE_H
#define RETROGRAD_ANALYSIS_SHIFTINVARIANCE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"

namespace llvm {
class Loop;
} // namespace llvm

namespace retrograd {

class Catalogue;
class LoopShape;

/// A pivot that is the largest (or smallest) so far: each iteration of a nest
/// of loops hands its own on to the next, which takes it for an operand.
struct RunningPivot {
  const llvm::Instruction *Pivot = nullptr;
  const llvm::Loop *Of = nullptr; ///< outermost loop that hands it on
  /// Header phis that are the pivot of the iteration before, of Of first.
  llvm::SmallVector<const llvm::PHINode *, 2> Before;
  /// What changes with a shift, within Of; the pivot and Before, too.
  llvm::SmallPtrSet<const llvm::Value *, 16> Shifted;
  /// Those of which is not known how.
  llvm::SmallPtrSet<const llvm::Value *, 4> Unfollowed;
  /// All of Shifted that Of begins with is 0: the pivot that it begins with
  /// has no influence.
  bool FromNothing = true;
};

class ShiftInvariance {
public:
  ShiftInvariance() = default;
  /// Finds pivots among the values for which `IsVaried` holds.
  ShiftInvariance(llvm::Function &F, const Catalogue &Cat,
                  const LoopShape &Shape,
                  llvm::function_ref<bool(const llvm::Value *)> IsVaried);

  /// Nothing that leaves the function depends on V, but through V's operands.
  bool empty() const { return Pivots.empty(); }
  bool isPivot(const llvm::Value *V) const { return Pivots.contains(V); }
  llvm::ArrayRef<RunningPivot> running() const { return Running; }
  /// Exponential functions, of whatever base.
  static bool isExponential(const llvm::Instruction &I, const Catalogue &Cat);

private:
  llvm::SmallPtrSet<const llvm::Value *, 4> Pivots;
  llvm::SmallVector<RunningPivot, 1> Running;
};

} // namespace retrograd

#endif
