//===- GatherNeighbours.h - a thread gathers what is its own ----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problem: The thread of a pixel reads the pixels around it. In reverse it adds
// to the adjoints of all of them: nine additions to memory for 3 x 3, each of
// which other threads make to the same place. By hand, a thread computes what
// its neighbours have for its own pixel, and adds once.
//
// Method: What a thread adds is computed from where it stands in the grid
// (blockIdx.x * blockDim.x + threadIdx.x, and its like), from what all threads
// have in common, and from memory that nothing writes. So any thread can
// compute it for another one. Of the additions to places that are polynomials
// in these coordinates, those are put together whose places become one when the
// coordinates are moved by constants: the thread at s computes, for each, what
// the thread at s - d adds there, under the conditions of that thread, and adds
// all at once.
//
// What makes it right:
//
//   each addition is made once: of the thread at t by the one at t + d if the
//   launch has it, else by itself
//   the place is the same: the polynomial is, and holds for coordinates of
//   threads that exist. Launches with more than 2^31 threads along an axis
//   gather nothing
//   nothing in the kernel does anything with the adjoints but add to them, and
//   nothing writes what is read (restrict parameters)
//   all threads come to where it is gathered, also those that return early
//
// Not handled: additions in loops, conditions that read memory, numbers that
// take more than a few loads.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_GATHERNEIGHBOURS_H
#define RETROGRAD_POLISH_GATHERNEIGHBOURS_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

/// In F, a kernel that derivatives were inlined into. Whether it has changed.
bool gatherNeighbours(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace retrograd

#endif
