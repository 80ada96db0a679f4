//===- SameForBlock.h - numbers that a block has in common ------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop in which threads of a block wait for each other is rewritten only if
// the new condition does not tell them apart. This asks syntactically, and is
// no proof: what parameters are is known to the legality of the derivative
// alone (Plan/LeavingThreads.cpp), which looks at the rewritten loop.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_DEVICE_SAMEFORBLOCK_H
#define RETROGRAD_PRIMAL_DEVICE_SAMEFORBLOCK_H

namespace llvm {
class Loop;
class SCEV;
} // namespace llvm

namespace retrograd {

/// Threads may wait for each other, or exchange numbers, within L.
bool threadsMayWait(const llvm::Loop &L);

/// Number is computed from parameters, memory and what all threads of a block
/// learn alike. False also where that is not seen.
bool isSameForBlock(const llvm::SCEV *Number);

} // namespace retrograd

#endif
