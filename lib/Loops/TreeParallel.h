//===- TreeParallel.h - loops whose iterations are independent --*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_LOOPS_TREEPARALLEL_H
#define RETROGRAD_LOOPS_TREEPARALLEL_H

#include "Loops/Schedule.h"

namespace retrograd::loops {

/// While isl makes a tree, tells of each innermost loop whether two of its
/// iterations touch the same element.
class ParallelFinder {
public:
  ParallelFinder(const Scheduler &Of, isl_ctx *C);
  isl_ast_build *watch(isl_ast_build *Build);

private:
  isl_ast_node *finish(isl_ast_node *For, isl_ast_build *Build);
  UnionMap Meet; ///< pairs of iterations that touch the same element
};

/// The loop was found to have independent iterations.
bool isParallel(isl_ast_node *For);

} // namespace retrograd::loops

#endif
