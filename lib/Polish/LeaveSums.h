//===- LeaveSums.h - adjoints that are taken and given back --- -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   y[i] += x;
//
// In reverse, the store takes the adjoint of y[i] out of memory, by an exchange
// with 0 where other threads may do the same, and the load gives all of it
// back. What is taken and given back in one block stays where it is: a load is
// left.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_LEAVESUMS_H
#define RETROGRAD_POLISH_LEAVESUMS_H

namespace llvm {
class AAResults;
class Function;
} // namespace llvm

namespace retrograd {
class Target;

/// At the end of the pipeline, when loads and stores are final.
void leaveSums(llvm::Function &F, const Target &Machine, llvm::AAResults &AA);

} // namespace retrograd

#endif
