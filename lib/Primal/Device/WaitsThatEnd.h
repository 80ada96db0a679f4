//===- WaitsThatEnd.h - threads that wait go on -----------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM does not know that a barrier, a shuffle or a vote ends, nor that the
// mathematical functions of the device's library return. So it does not know
// either that an iteration that begins comes to the loop's condition, and
// cannot count the iterations of `for (t = 0; t < n; t += 32)` with a barrier
// within. A run that is reversed has returned, and with it all that it waited
// for.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_DEVICE_WAITSTHATEND_H
#define RETROGRAD_PRIMAL_DEVICE_WAITSTHATEND_H

namespace llvm {
class Function;
} // namespace llvm

namespace retrograd {
class Catalogue;

/// True if F, for a machine with many threads, has operations for several of
/// them at once, or mathematical functions: they are known to return now.
bool markWaitsThatEnd(llvm::Function &F, const Catalogue &Cat);
} // namespace retrograd

#endif
