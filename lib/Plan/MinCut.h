//===- MinCut.h - cheapest vertex cut of a directed graph -------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vertices have a price; sources produce something that cannot be made again,
// sinks are where it is needed. The cheapest set of vertices through which
// every path from a source to a sink passes, with what it costs to make the
// vertices behind it again, is found by maximum flow (Dinic's
// algorithm) on the graph with each vertex split in two. Of several cheapest
// cuts the one nearest to the sinks is chosen.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PLAN_MINCUT_H
#define RETROGRAD_PLAN_MINCUT_H

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace retrograd {

class MinCut {
public:
  static constexpr uint64_t Infinite = ~uint64_t(0) >> 4;

  /// A vertex whose selection costs Price.
  unsigned addVertex(uint64_t Price);
  /// To is made from From.
  void addEdge(unsigned From, unsigned To);
  /// Making V from what it is made from costs so much, too.
  void addCost(unsigned V, uint64_t Cost);
  void markSource(unsigned V);
  void markSink(unsigned V);
  /// The vertices of the cut. Call once.
  llvm::BitVector solve();

private:
  struct Arc {
    unsigned To;
    uint64_t Left; ///< residual capacity
    unsigned Twin; ///< index of the reverse arc in Arcs[To]
  };
  void addArc(unsigned From, unsigned To, uint64_t Capacity);
  bool label();
  uint64_t push(unsigned Node, uint64_t Limit);
  unsigned in(unsigned V) const { return 2 + 2 * V; }
  unsigned out(unsigned V) const { return 3 + 2 * V; }

  static constexpr unsigned S = 0, T = 1;
  unsigned NumVertices = 0;
  llvm::SmallVector<llvm::SmallVector<Arc, 4>, 0> Arcs{2};
  llvm::SmallVector<int, 0> Level;
  llvm::SmallVector<unsigned, 0> Next;
};

} // namespace retrograd

#endif
