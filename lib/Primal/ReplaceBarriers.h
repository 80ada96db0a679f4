//===- ReplaceBarriers.h - assembly without text ----------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries write assembly without text to hide a value from the optimiser
// (benchmark::DoNotOptimize, say). It hides from us what the code means, too.
// What hides a float becomes an arithmetic fence, which does the same and has a
// derivative; the rest does nothing or hands its operand on, and goes.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_REPLACEBARRIERS_H
#define RETROGRAD_PRIMAL_REPLACEBARRIERS_H

namespace llvm {
class Function;
} // namespace llvm

namespace retrograd {

/// Assembly without text that hides a float from the optimiser becomes an
/// arithmetic fence. Early: it may keep variables in memory.
void replaceBarriers(llvm::Function &F);

/// Removes other assembly without text. Before simplification.
void dropEmptyAssembly(llvm::Function &F);

} // namespace retrograd

#endif
