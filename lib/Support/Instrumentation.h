//===- Instrumentation.h - what sanitizers are to do ---------- -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_SUPPORT_INSTRUMENTATION_H
#define RETROGRAD_SUPPORT_INSTRUMENTATION_H

namespace llvm {
class Function;
} // namespace llvm

namespace retrograd {

/// What sanitizers are to do with a function that was made for another one.
void copyInstrumentation(const llvm::Function &From, llvm::Function &To);

} // namespace retrograd

#endif
