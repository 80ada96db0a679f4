//===- BarrierElimination.h - barriers that order nothing -------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef RETROGRAD_OFFLOAD_BARRIERELIMINATION_H
#define RETROGRAD_OFFLOAD_BARRIERELIMINATION_H

namespace llvm {
class Function;
} // namespace llvm

namespace retrograd {

/// Removes each barrier of Kernel for which no access since the barriers before
/// it conflicts with an access up to the barriers behind it. Returns how many.
unsigned eliminateBarriers(llvm::Function &Kernel);

/// Puts one barrier where it does the work of several, or of one in a loop.
/// Returns how many it put.
unsigned moveBarriers(llvm::Function &Kernel);

} // namespace retrograd

#endif
