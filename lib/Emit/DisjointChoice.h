//===- DisjointChoice.h - one derivative if nothing overlaps ----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two derivatives of one function, and which one a call runs: the first takes
// it for granted that what its arguments lead to does not overlap, the other
// does not. See docs/DisjointArguments.md.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_DISJOINTCHOICE_H
#define RETROGRAD_EMIT_DISJOINTCHOICE_H

#include "Analysis/ArgumentRanges.h"

namespace llvm {
class Function;
}

namespace retrograd {
struct DerivativeRequest;

/// A copy of F, of which more may be promised.
llvm::Function *cloneApart(llvm::Function &F);

/// Computes Numbers, of the ranges of a copy, as the wide sums that they are
/// where all sums fit.
void widenIndices(const WideNumbers &Numbers, llvm::ScalarEvolution &SE);

/// The pointer arguments of Copy, and their shadows, do not overlap.
void promiseDisjoint(llvm::Function &Copy);

/// A function that answers R, a request in joint reverse mode: by Disjoint
/// where the arguments of a call, and their shadows, lead to disjoint Ranges;
/// else by General.
llvm::Function *emitDisjointChoice(const DerivativeRequest &R,
                                   const ArgumentRanges &Ranges,
                                   llvm::Function &Disjoint,
                                   llvm::Function &General);

} // namespace retrograd

#endif
