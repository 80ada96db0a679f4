//===- BenchTransformer.cpp - a transformer's training step -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bench.h"
#include "hand/Hand.h"
#include "programs/Transformer.h"
#include <algorithm>
#include <memory>

static bench::Problem problem(int Layers, int Channels) {
  const programs::TransformerSizes S = {
      /*B=*/4,        /*T=*/64, /*V=*/256,
      /*C=*/Channels, /*H=*/4,  Layers};
  auto I = std::make_shared<programs::TransformerInput<float>>(S);
  // The harness compares doubles; that copy is less than a percent.
  auto Given = [I](double *Out) {
    std::copy(I->DParameters.begin(), I->DParameters.end(), Out);
  };
  const size_t N = I->Parameters.size();
  bench::Problem P;
  P.Program = "Transformer";
  P.Size = "l" + std::to_string(Layers) + " c" + std::to_string(Channels);
  P.Inputs = P.Entries = N;
  P.Primal = [I] { bench::consume(programs::transformer(*I)); };
  P.Gradient = [I, Given](double *Out) {
    programs::transformerGradient(*I);
    Given(Out);
  };
  P.Hand = [I, Given](double *Out) {
    hand::transformerGradient(*I);
    Given(Out);
  };
  // Sums of 256 and more floats, in two orders.
  P.Agreement = 1e-3;
  P.Least = 1e-2;
  return P;
}

static bench::Registration Transformers(14, [] {
  return std::vector{problem(2, 64), problem(4, 128)};
});
