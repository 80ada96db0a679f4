//===- Steps.h - where threads in lock step wait for each other -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On a GPU all lanes of a warp load before one of them stores what was
// computed of it; a thread of this machine that runs one lane after the other
// hides what goes wrong there. insertSteps puts a call of Step between accesses
// of memory that threads share where loads change to stores, stores to loads,
// or either to atomics: kernels are cut there (SplitPoints.h).
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_OFFLOAD_STEPS_H
#define RETROGRAD_OFFLOAD_STEPS_H

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Function;
} // namespace llvm

namespace retrograd {

/// void(), an operation of our own: all lanes may come here before one goes on.
inline constexpr llvm::StringLiteral StepName = "rg.step";

/// Returns how many steps it put into Kernel.
unsigned insertSteps(llvm::Function &Kernel);

} // namespace retrograd

#endif
