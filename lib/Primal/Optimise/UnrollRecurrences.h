//===- UnrollRecurrences.h - short recurrences without a loop --- -*- C++
//-*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that makes its numbers of those of the iteration before cannot be
// reversed without what they were in each iteration. Kept at an index, that is
// an array, and on a GPU arrays of a thread lie in memory: all threads that run
// at once write more than caches hold. So a loop of a constant number of
// iterations is unrolled where registers hold what it keeps: values of straight
// code are no tape.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_OPTIMISE_UNROLLRECURRENCES_H
#define RETROGRAD_PRIMAL_OPTIMISE_UNROLLRECURRENCES_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

class Catalogue;

/// Unrolls such loops of F, which runs on a machine with many threads. True if
/// there was one.
bool unrollRecurrences(llvm::Function &F, llvm::FunctionAnalysisManager &FAM,
                       const Catalogue &Cat);

} // namespace retrograd

#endif
