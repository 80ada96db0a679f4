//===- BenchGmm.cpp - Gaussian mixtures -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../demo/programs/Gmm.h"
#include "Bench.h"
#include "adolc/Adolc.h"
#include "hand/Hand.h"
#include <memory>

static bench::Problem problem(int D, int K, int N) {
  auto G = std::make_shared<programs::GmmInput>(programs::makeGmm(D, K, N));
  const double *P = G->Parameters.data();
  const size_t Count = G->numParameters();
  return {"GMM",
          "d" + std::to_string(D) + " K" + std::to_string(K) + " n" +
              std::to_string(N),
          Count,
          Count,
          [=] { bench::consume(gmm(*G, P)); },
          [=](double *Out) { gmmGradient(*G, P, Out); },
          [=](double *Out) { hand::gmmGradient(*G, P, Out); },
          [=](double *Out) { withAdolc::gmmGradient(*G, P, Out); }};
}

static bench::Registration Gmm(1, [] {
  return std::vector{problem(2, 5, 1000), problem(10, 25, 1000),
                     problem(20, 50, 200)};
});
