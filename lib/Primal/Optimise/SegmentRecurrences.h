//===- SegmentRecurrences.h - long recurrences in segments ---- -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that makes its numbers of those of the iteration before (a linear
// recurrence, a product, a running maximum that others are scaled by) cannot be
// reversed without what they were in each iteration. On a GPU that is kept by
// each of many threads, and may not fit where memory is near. So the loop is
// cut into segments of a fixed number of iterations:
//
//   for (i = 0; i < n; ++i)        for (s = 0; s < n; s += Length)
//     x = f(x, i);                   for (i = s; i < min(s + Length, n); ++i)
//                                      x = f(x, i);
//
// The plan can then run segments again (Plan/DeferredLoops.h): what is kept is
// x at the start of each segment, and x in each iteration of one.
//
// Loops that only add up need nothing of the kind, and neither does a running
// maximum by itself (Plan/Choices.h). Nests have segments already.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_OPTIMISE_SEGMENTRECURRENCES_H
#define RETROGRAD_PRIMAL_OPTIMISE_SEGMENTRECURRENCES_H

#include "llvm/IR/PassManager.h"

namespace llvm {
class Loop;
class PHINode;
} // namespace llvm

namespace retrograd {

class Catalogue;

/// An iteration of L makes something of Phi that its derivative depends on.
bool isRecurrence(const llvm::PHINode &Phi, const llvm::Loop &L,
                  const Catalogue &Cat);

/// Cuts such loops of F, and those in which threads wait for each other if all
/// of a block run them equally often. F runs on a machine with many threads.
/// True if there was one.
bool segmentRecurrences(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                        const Catalogue &Cat);

} // namespace retrograd

#endif
