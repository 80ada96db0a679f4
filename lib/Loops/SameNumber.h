//===- SameNumber.h - numbers that are the same on each way -----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_LOOPS_SAMENUMBER_H
#define RETROGRAD_LOOPS_SAMENUMBER_H

namespace llvm {
class DominatorTree;
class Function;
class LoopInfo;
class ScalarEvolution;
} // namespace llvm

namespace retrograd::loops {

/// Numbers in loops that are a phi of a constant and of what would be the same
/// constant there are computed instead. True if there are any.
bool computeAgain(llvm::Function &F, llvm::LoopInfo &LI,
                  llvm::ScalarEvolution &SE, llvm::DominatorTree &DT);

} // namespace retrograd::loops

#endif
