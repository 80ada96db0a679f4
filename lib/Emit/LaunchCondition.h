//===- LaunchCondition.h - whether each thread has its own ------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether two threads of a kernel add to one adjoint depends on the launch: on
// the extents of grid and blocks, and on where the arrays are. The plan has the
// condition (ThreadOwnership.h); the derivative evaluates it once, where it
// begins, and adds atomically only where it does not hold.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_LAUNCHCONDITION_H
#define RETROGRAD_EMIT_LAUNCHCONDITION_H

#include "Analysis/OneWriter.h"
#include "Analysis/ThreadOwnership.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace retrograd {

/// C as an i1 at the entry of D. `Extent` is the routine rg_extent.
llvm::Value *emitLaunchCondition(
    const ThreadOwnership::Condition &C, llvm::Function &D,
    llvm::Function *Extent,
    llvm::function_ref<llvm::Value *(const llvm::Argument &)> ShadowOf,
    const llvm::Twine &Name);

/// All of Conditions, likewise.
llvm::Value *emitConditions(
    llvm::ArrayRef<OneWriter::Condition> Conditions, llvm::Function &D,
    llvm::Function *Extent,
    llvm::function_ref<llvm::Value *(const llvm::Argument &)> ValueOf,
    const llvm::Twine &Name);

} // namespace retrograd

#endif
