//===- IdleLoops.h - loops whose reverse may do nothing ---------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that writes no active memory gets adjoints through its results alone.
// Are they zero, so are all that it would hand on. The same holds at the
// backedge, for the iterations that are still to come.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_IDLELOOPS_H
#define RETROGRAD_EMIT_IDLELOOPS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Instructions.h"

namespace retrograd {

class DerivativePlan;

/// It is worth asking, where the edge From -> To leaves a loop or goes back to
/// its header, whether the adjoints of Phis, of To, are zero: then the reverse
/// of the loop's iterations does nothing.
bool mayBeIdle(const llvm::BasicBlock &From, const llvm::BasicBlock &To,
               llvm::ArrayRef<const llvm::PHINode *> Phis,
               const DerivativePlan &Plan);

} // namespace retrograd

#endif
