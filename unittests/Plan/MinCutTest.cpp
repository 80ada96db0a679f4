//===- MinCutTest.cpp - the cheapest cut against all cuts -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/MinCut.h"
#include "gtest/gtest.h"
#include <random>
#include <vector>

using namespace retrograd;

namespace {

struct Graph {
  std::vector<uint64_t> Prices;
  std::vector<std::pair<unsigned, unsigned>> Edges;
  std::vector<unsigned> Sources, Sinks;

  unsigned size() const { return Prices.size(); }

  /// The vertices reached from sources without entering Cut reach no sink.
  bool separates(uint64_t Cut) const {
    uint64_t Seen = 0;
    for (unsigned S : Sources)
      if (!(Cut >> S & 1))
        Seen |= uint64_t(1) << S;
    for (unsigned Round = 0; Round != size(); ++Round)
      for (auto [From, To] : Edges)
        if ((Seen >> From & 1) && !(Cut >> To & 1))
          Seen |= uint64_t(1) << To;
    for (unsigned T : Sinks)
      if (Seen >> T & 1)
        return false;
    return true;
  }
  uint64_t price(uint64_t Cut) const {
    uint64_t Sum = 0;
    for (unsigned V = 0; V != size(); ++V)
      Sum += Cut >> V & 1 ? Prices[V] : 0;
    return Sum;
  }
  uint64_t solve() const {
    MinCut M;
    for (uint64_t P : Prices)
      M.addVertex(P);
    for (auto [From, To] : Edges)
      M.addEdge(From, To);
    for (unsigned S : Sources)
      M.markSource(S);
    for (unsigned T : Sinks)
      M.markSink(T);
    llvm::BitVector Chosen = M.solve();
    uint64_t Cut = 0;
    for (unsigned V : Chosen.set_bits())
      Cut |= uint64_t(1) << V;
    return Cut;
  }
};

TEST(MinCut, CheapestOfAll) {
  std::mt19937 Random(7);
  for (unsigned Trial = 0; Trial != 300; ++Trial) {
    Graph G;
    unsigned N = 2 + Random() % 8;
    for (unsigned V = 0; V != N; ++V)
      G.Prices.push_back(1 + Random() % 9);
    for (unsigned E = 0, End = Random() % (2 * N); E != End; ++E) {
      unsigned A = Random() % N, B = Random() % N;
      if (A < B)
        G.Edges.push_back({A, B});
    }
    for (unsigned K = 0; K != 2; ++K) {
      G.Sources.push_back(Random() % N);
      G.Sinks.push_back(Random() % N);
    }
    uint64_t Cut = G.solve(), Best = ~uint64_t(0);
    EXPECT_TRUE(G.separates(Cut));
    for (uint64_t Other = 0; Other != uint64_t(1) << N; ++Other)
      if (G.separates(Other))
        Best = std::min(Best, G.price(Other));
    EXPECT_EQ(G.price(Cut), Best);
  }
}

TEST(MinCut, NearestToTheSinks) {
  // Both vertices of a chain cost the same; recomputing nothing is better.
  Graph G{{4, 4}, {{0, 1}}, {0}, {1}};
  EXPECT_EQ(G.solve(), uint64_t(1) << 1);
}

TEST(MinCut, MakingAgainCosts) {
  // 1 is made from 0, which is cheaper by 2.
  auto Solve = [](uint64_t Cost) {
    MinCut M;
    M.addVertex(3);
    M.addVertex(5);
    M.addEdge(0, 1);
    M.markSource(0);
    M.markSink(1);
    M.addCost(1, Cost);
    return M.solve();
  };
  EXPECT_TRUE(Solve(1).test(0));
  EXPECT_FALSE(Solve(1).test(1));
  EXPECT_TRUE(Solve(3).test(1));
  EXPECT_FALSE(Solve(3).test(0));
}

} // namespace
