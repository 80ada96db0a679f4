//===- LoopsInStep.h - loops that lanes reverse together --------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes of a warp may run a loop a different number of times: a ray ends where
// it is opaque. In the primal they are together from the first iteration on. A
// reverse sweep in which each lane begins at its own last iteration has them at
// different iterations all along: what they read alike they read one after the
// other, what they add to one place they add one after the other, and a tape
// that lies lane by lane side by side is read from as many places as there are
// lanes. So they agree on the largest of their numbers and count down from
// there, and each begins when its own last iteration comes.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_LOOPSINSTEP_H
#define RETROGRAD_EMIT_LOOPSINSTEP_H

namespace llvm {
class LoadInst;
class Loop;
} // namespace llvm

namespace retrograd {

class DerivativePlan;

/// The lanes of a warp run the reverse of L in step. They may run L a different
/// number of times, which data decides, and do not wait for each other within.
bool runsInStep(const llvm::Loop &L, const DerivativePlan &Plan);

/// L, in a loop that runs in step, reads from a place in memory of the block
/// that is the same for all lanes of the warp which reverse an iteration of the
/// loop together, and can be told without having run the iteration. Nothing in
/// the loop takes the adjoints of that memory.
bool addsInStep(const llvm::LoadInst &L, const DerivativePlan &Plan);

} // namespace retrograd

#endif
