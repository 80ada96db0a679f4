//===- AccessChecks.h - accesses that the checker sees ----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// -rg-check-races and -rg-check-uninitialized: in front of every access of
// memory that threads share stands a call of the runtime's checker
// (runtime/cuda/Checks.cpp), with the address, the size, what is done, and the
// line.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_OFFLOAD_ACCESSCHECKS_H
#define RETROGRAD_OFFLOAD_ACCESSCHECKS_H

namespace llvm {
class Function;
} // namespace llvm

namespace retrograd {
struct OffloadOptions;

/// Kernels and the functions that they call, before they are lowered.
void checkAccesses(llvm::Function &F, const OffloadOptions &Options);

} // namespace retrograd

#endif
