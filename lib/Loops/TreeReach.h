//===- TreeReach.h - which trees fit into 64 bits ---------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// isl's numbers have no end, ours have 64 bits: a tree whose expressions might
// need more is not taken, nor is one that is too large.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_LOOPS_TREEREACH_H
#define RETROGRAD_LOOPS_TREEREACH_H

#include "Loops/Isl.h"

namespace retrograd::loops {

/// All numbers on the way are less than 2^62; Most: the greatest that E may be.
/// Parameters are within Nest::Limit, and so are counters, of which times are
/// made.
bool fits(isl_ast_expr *E, double &Most);

/// Every expression in the tree fits.
bool fits(isl_ast_node *A);

} // namespace retrograd::loops

#endif
