//===- Reaches.h - where the threads of a region read and write -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The adjoint of a load is added to its shadow. Whether another thread may do
// so at the time is known when the region has run: if each thread says from
// which address to which it loads and stores, by groups of accesses,
//
//   rg_reach_from(x + 8 * n * first - 8 * n, bytes, group, kind, additions)
//   for (i = first; i <= last; ++i)           x[(i - 1) * n], ... x[(i + 1) *
//   n]
//
// A call stands in front of the outermost loop over which the addresses are
// affine. Of other places (x[at[i]]) the outermost loop in which x stays the
// same finds out the least and the greatest, and tells at its end. In the
// primal sweep the operand is the shadow of the address (runtime/reach.c).
// Accesses make one group if they have one base, and either all depend on which
// thread runs them or none does.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PARALLEL_REACHES_H
#define RETROGRAD_PARALLEL_REACHES_H

#include "llvm/IR/PassManager.h"

namespace retrograd {
class RuntimeLibrary;

/// In the normalised primal of a region; nothing in other functions.
void noteReaches(llvm::Function &Clone, llvm::FunctionAnalysisManager &FAM,
                 RuntimeLibrary &Runtime);

} // namespace retrograd

#endif
