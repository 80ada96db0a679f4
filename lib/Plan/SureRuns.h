//===- SureRuns.h - what runs whenever the derivative does ------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An error is told when a function is compiled only if it happens whenever the
// function is called. This finds the blocks that no branch decides about but
// those of loops: a loop is taken to run. A function is taken to be called if
// such a block of the root, or of a function that is, calls it by name.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PLAN_SURERUNS_H
#define RETROGRAD_PLAN_SURERUNS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class BasicBlock;
class Function;
class Instruction;
} // namespace llvm

namespace retrograd {
class ProgramFacts;

class SureRuns {
public:
  explicit SureRuns(const ProgramFacts &Facts);
  bool runs(const llvm::Instruction &I) const;

private:
  /// Of each function that surely runs, the blocks that do.
  llvm::DenseMap<const llvm::Function *,
                 llvm::SmallPtrSet<const llvm::BasicBlock *, 8>>
      Blocks;
};

} // namespace retrograd

#endif
