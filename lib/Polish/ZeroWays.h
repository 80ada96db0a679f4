//===- ZeroWays.h - ways on which all adjoints are zero ---------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problem: `if (faint) continue;` in a loop of a kernel. In reverse, an
// iteration that was skipped still runs the reverse of what is in front of the
// condition, with adjoints that are 0, and nothing comes of it but zeros.
//
// Method: On a way into a block of code numbers may be zero (phis). Arithmetic
// of derivatives that comes to zero there stands first in the block, and that
// way leads past it.
//
// What makes it right: as for ZeroShares.h, what emission marked as linear in
// an adjoint passes nothing of a zero. What is led past is arithmetic alone.
//
// Not handled: blocks in which a loop begins, where a second way in would make
// the loop irreducible; little arithmetic, which costs less than a branch.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_ZEROWAYS_H
#define RETROGRAD_POLISH_ZEROWAYS_H

namespace llvm {
class Function;
} // namespace llvm

namespace retrograd {

/// In F, which has marks of shares. Whether it has changed.
bool leadZerosPast(llvm::Function &F);

} // namespace retrograd

#endif
