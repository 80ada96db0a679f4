//===- MinCut.cpp - cheapest vertex cut of a directed graph ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/MinCut.h"
#include <algorithm>

using namespace llvm;
using namespace retrograd;

unsigned MinCut::addVertex(uint64_t Price) {
  unsigned V = NumVertices++;
  Arcs.resize(2 + 2 * NumVertices);
  addArc(in(V), out(V), std::min(Price, Infinite));
  return V;
}

void MinCut::addArc(unsigned From, unsigned To, uint64_t Capacity) {
  Arcs[From].push_back({To, Capacity, (unsigned)Arcs[To].size()});
  Arcs[To].push_back({From, 0, (unsigned)Arcs[From].size() - 1});
}

void MinCut::addEdge(unsigned From, unsigned To) {
  addArc(out(From), in(To), Infinite);
}
void MinCut::addCost(unsigned V, uint64_t Cost) { addArc(S, in(V), Cost); }
void MinCut::markSource(unsigned V) { addArc(S, in(V), Infinite); }
void MinCut::markSink(unsigned V) { addArc(out(V), T, Infinite); }

/// Breadth-first distances from S over arcs with capacity left; false when T
/// cannot be reached any more.
bool MinCut::label() {
  Level.assign(Arcs.size(), -1);
  SmallVector<unsigned, 0> Queue{S};
  Level[S] = 0;
  for (size_t I = 0; I != Queue.size(); ++I)
    for (const Arc &A : Arcs[Queue[I]])
      if (A.Left && Level[A.To] < 0) {
        Level[A.To] = Level[Queue[I]] + 1;
        Queue.push_back(A.To);
      }
  return Level[T] >= 0;
}

/// Pushes up to Limit along one augmenting path of the level graph. The path
/// is kept on an explicit stack: def-use chains may be very long.
uint64_t MinCut::push(unsigned Node, uint64_t Limit) {
  SmallVector<std::pair<unsigned, unsigned>, 0> Path; // node, arc index
  while (Node != T) {
    unsigned &I = Next[Node];
    while (I != Arcs[Node].size() &&
           !(Arcs[Node][I].Left && Level[Arcs[Node][I].To] == Level[Node] + 1))
      ++I;
    if (I == Arcs[Node].size()) {
      if (Path.empty())
        return 0;
      Node = Path.back().first;
      ++Next[Node]; // the arc just tried leads nowhere
      Path.pop_back();
      continue;
    }
    Path.push_back({Node, I});
    Node = Arcs[Node][I].To;
  }
  for (auto [N, I] : Path)
    Limit = std::min(Limit, Arcs[N][I].Left);
  for (auto [N, I] : Path) {
    Arc &A = Arcs[N][I];
    A.Left -= Limit;
    Arcs[A.To][A.Twin].Left += Limit;
  }
  return Limit;
}

BitVector MinCut::solve() {
  while (label()) {
    Next.assign(Arcs.size(), 0);
    while (push(S, Infinite))
      ;
  }
  // Nodes from which T can still be reached: walk residual arcs backwards.
  BitVector ReachesT(Arcs.size());
  SmallVector<unsigned, 0> Work{T};
  ReachesT.set(T);
  while (!Work.empty())
    for (const Arc &A : Arcs[Work.pop_back_val()])
      if (!ReachesT.test(A.To) && Arcs[A.To][A.Twin].Left) {
        ReachesT.set(A.To);
        Work.push_back(A.To);
      }
  BitVector Cut(NumVertices);
  for (unsigned V = 0; V != NumVertices; ++V)
    if (!ReachesT.test(in(V)) && ReachesT.test(out(V)))
      Cut.set(V);
  return Cut;
}
