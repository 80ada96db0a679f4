//===- GatherLoops.h - places of a tile, each by one thread -----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problem:
//
//   __syncthreads();
//   for (int j = 0; j < Tile; ++j)      // all pairs, a tile at a time
//     sum += pull(mine, tile[j]);
//   __syncthreads();
//
// In the reverse sweep all threads of the block add to one place of the tile's
// adjoint in each iteration: a sum over each warp, and an atomic addition by
// each, for each pair.
//
// Method: The loop runs without these additions. A second one turns it around:
// a thread takes a place j, goes over all threads of the block, computes what
// each adds there, and adds the sum once. What the computation asks of a thread
// (mine, the adjoint of its sum) is stored in shared memory in front of the
// barrier that is there already; what it asks of the tile is read once.
//
// Whether all threads of the block are there is counted at that barrier, and
// the block has to be small enough for what is stored; else the loop runs as it
// was.
//
// Invariants: the loop is one block, runs a constant number of times, stands
// between two barriers with no other memory accesses in between, writes nothing
// but these additions, and their places are the same for all threads. What is
// added depends on the iteration, on numbers that the loop does not change, and
// on shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_GATHERLOOPS_H
#define RETROGRAD_POLISH_GATHERLOOPS_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

/// Turns such loops of the kernel F around. Whether there were any.
bool gatherLoops(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace retrograd

#endif
