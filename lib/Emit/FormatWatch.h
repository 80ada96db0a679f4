//===- FormatWatch.h - which number lies where, at run time -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory may hold doubles at one time and floats at another (a pool, a union, a
// buffer of bytes), and only the running program can tell whether each number
// is read as what it was written as. Calls of runtime/formats.c beside the
// accesses of the primal sweep, or of forward mode, look after it, in memory
// where numbers of two formats may meet (ProgramFacts::watchesFormats).
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_FORMATWATCH_H
#define RETROGRAD_EMIT_FORMATWATCH_H

#include "Analysis/ActivityAnalysis.h"
#include "llvm/IR/IRBuilder.h"

namespace retrograd {
class RuntimeLibrary;

/// Writes the watch of I, of the primal, if it needs one, at B, which stands
/// behind the clone of I. Result is what the clone gives.
void watchFormats(
    llvm::IRBuilderBase &B, const llvm::Instruction &I,
    const ActivityAnalysis &A, RuntimeLibrary &Runtime,
    llvm::function_ref<llvm::Value *(const llvm::Value *)> Primal);

/// Tells the runtime where D, the root of a request, begins, if it watches.
void beginFormatWatch(llvm::Function &D, RuntimeLibrary &Runtime);

} // namespace retrograd

#endif
