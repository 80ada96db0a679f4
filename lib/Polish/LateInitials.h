//===- LateInitials.h - where adjoints begin --------------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emission sets each adjoint to -0.0 where its variable is made, in the entry
// block. So each is live from there to its last use, through most of the
// function, and making registers of n variables asks each of them about all
// blocks: a cost that grows with the square of the function. Here the first
// store moves to the last block that lies before all other accesses. In a cycle
// it does so where the adjoint is the same there as at first in each iteration,
// or written before it is read; else it stays before the cycle. Most adjoints
// then live in one block, or a few beside each other.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_LATEINITIALS_H
#define RETROGRAD_POLISH_LATEINITIALS_H

#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/IR/Dominators.h"

namespace retrograd {

/// Whether anything changed: no blocks.
bool setInitialsLate(llvm::Function &F, const llvm::DominatorTree &DT,
                     const llvm::CycleInfo &Cycles);

} // namespace retrograd

#endif
