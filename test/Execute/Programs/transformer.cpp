//===- transformer.cpp - a transformer's training step -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RG-FLAGS: -std=c++20 -I%root

// In float against the gradient by hand, and against differences of the same
// function in double.
#include "bench/hand/Transformer.cpp"
#include "bench/programs/TransformerGradient.cpp"
#include "bench/programs/TransformerPrimal.cpp"
#include "rgtest.h"

using namespace programs;

int main() {
  const TransformerSizes S = {/*B=*/2, /*T=*/5, /*V=*/11,
                              /*C=*/6, /*H=*/2, /*Layers=*/2};
  TransformerInput<float> I(S), ByHand(S);
  TransformerInput<double> Double(S);
  transformerGradient(I);
  transformerGradient(I);
  hand::transformerGradient(ByHand);
  RG_WITHIN(transformer(I),
            transformerLoss(&Double.Model, Double.Symbols.data(),
                            Double.Targets.data()),
            1e-5);
  const size_t N = I.Parameters.size();
  double Largest = 0;
  for (float D : ByHand.DParameters)
    Largest = std::fmax(Largest, std::fabs(D));
  RG_TRUE(Largest > 0.01 && Largest < 10);
  for (size_t At = 0; At < N; ++At) {
    RG_TRUE(rgFinite(I.DParameters[At]));
    RG_WITHIN((I.DParameters[At] - ByHand.DParameters[At]) / Largest, 0, 2e-6);
  }
  for (size_t At = 0; At < N; At += N / 60) {
    const double Slope = RG_DIFF(transformerLoss(&Double.Model,
                                                 Double.Symbols.data(),
                                                 Double.Targets.data()),
                                 Double.Parameters[At]);
    RG_WITHIN((I.DParameters[At] - Slope) / Largest, 0, 5e-6);
  }
  return rgReport();
}
