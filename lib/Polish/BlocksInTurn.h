//===- BlocksInTurn.h - one block does what several have to do --*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problem: a kernel has a block for each row of a matrix, and its gradient adds
// to places that all rows have in common: the weights of a norm, a bias. Each
// block adds to them in memory, which takes one addition to a place at a time.
//
// Method: as many blocks as the device can run at once do the work of all, one
// after the other, which blocks of a launch may. The others end at once.
// Between its turns a block adds what is for the common places to a copy in
// shared memory, and behind the last one to memory.
//
// Not handled: kernels in which a thread may end before others have done with
// waiting for each other.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_BLOCKSINTURN_H
#define RETROGRAD_POLISH_BLOCKSINTURN_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

/// In F, a kernel with derivatives whose code is final but for the form of its
/// additions.
bool takeBlocksInTurn(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace retrograd

#endif
