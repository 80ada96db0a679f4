//===- JoinValues.h - values that joins choose, as expressions --*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_OFFLOAD_JOINVALUES_H
#define RETROGRAD_OFFLOAD_JOINVALUES_H

namespace llvm {
class Function;
} // namespace llvm

namespace retrograd {

/// Replaces phis of Kernel by expressions, where what they choose among is
/// cheap to compute: the same on all ways, or numbers chosen by conditions. A
/// phi would have to be kept for each thread across barriers, an expression can
/// be computed again.
void expressJoins(llvm::Function &Kernel);

} // namespace retrograd

#endif
