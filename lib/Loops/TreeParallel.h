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

/// While isl makes a tree, tells of each innermost loop, or of all loops,
/// whether two of its iterations touch the same element.
class ParallelFinder {
public:
  /// Times: of all iterations, by the names that the tree has for them.
  /// Copied: arrays of which each thread may have its own, for sums.
  ParallelFinder(const Nest &N, const Scheduler &Of, const UnionMap &Times,
                 bool Threads, llvm::ArrayRef<unsigned> Copied);
  isl_ast_build *watch(isl_ast_build *Build);

private:
  isl_ast_node *finish(isl_ast_node *For, isl_ast_build *Build);
  bool areOwn(isl_union_map *Times);
  bool carries(const UnionMap &Pairs, const UnionMap &Times);
  bool findSums(const UnionMap &Times, std::string &Which);
  /// Pairs of iterations that touch the same element: all, and without sums.
  UnionMap Meet, MeetInOrder;
  /// Of each array that may be copied: pairs that add to the same element, and
  /// iterations that do anything else with it.
  struct SumPairs {
    unsigned Array;
    UnionMap Pairs;
    UnionSet Others;
  };
  std::vector<SumPairs> Sums;
  /// Of each cell: all pairs that touch the same element, and who sets it.
  struct CellPairs {
    UnionMap All;
    UnionSet Set;
    bool Result; ///< its last number is used behind the nest
  };
  std::vector<CellPairs> Cells;
  UnionSet Errno; ///< iterations that may set it
  bool Threads;
};

/// The innermost loop was found to have independent iterations.
bool isParallel(isl_ast_node *For);

/// The loop, with loops in it, can be shared by threads.
bool isForThreads(isl_ast_node *For);

/// There is such a loop in A; Sums: or one of the next kind.
bool hasLoopForThreads(isl_ast_node *A, bool Sums);

/// The loop can be shared by threads that have each their own of these arrays,
/// to which it only adds; none: it cannot.
llvm::SmallVector<unsigned, 2> sumsForThreads(isl_ast_node *For);

} // namespace retrograd::loops

#endif
