//===- LockStep.h - loops that threads repeat almost alike ------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_OFFLOAD_LOCKSTEP_H
#define RETROGRAD_OFFLOAD_LOCKSTEP_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class BasicBlock;
class Function;
class Value;
} // namespace llvm

namespace retrograd {

/// Gives one more loop over a grid (for (i = thread; i < n; i += threads)) a
/// first part that all threads of the block run together, as long as all have
/// something left; false if there is none. What IsUniform says is of the kernel
/// as it was before. Tried: the headers that were looked at.
bool runLoopInLockStep(llvm::Function &Kernel,
                       llvm::function_ref<bool(const llvm::Value *)> IsUniform,
                       llvm::SmallPtrSetImpl<const llvm::BasicBlock *> &Tried);

} // namespace retrograd

#endif
