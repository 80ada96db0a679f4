//===- VectorAdditions.h - additions to neighbours --------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread that reads a float4, or a struct of floats, adds to neighbouring
// adjoints one after the other. Where the threads of a warp read such that lie
// apart, each addition goes to as many sectors of the cache as there are
// threads, and each sector is met again by the next addition. From sm_90 on,
// one red adds four floats, or two.
//
// There is none for doubles. There, two lanes take the places of the one
// together, then those of the other: each addition of the warp goes to half as
// many sectors. What they need of each other they shuffle. Bulk reductions
// (cp.reduce.async.bulk), which have them, take 43 cycles of a multiprocessor
// each: no gain (docs/Benchmarks.md, XSBench).
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_VECTORADDITIONS_H
#define RETROGRAD_POLISH_VECTORADDITIONS_H

#include "llvm/IR/PassManager.h"

namespace retrograd {
struct Options;

/// In functions that hold derivatives.
void addToNeighbours(llvm::ArrayRef<llvm::Function *> Derived,
                     llvm::FunctionAnalysisManager &FAM, const Options &Opts);

} // namespace retrograd

#endif
