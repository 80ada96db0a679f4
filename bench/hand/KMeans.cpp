//===- KMeans.cpp - k-means, by hand -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Hand.h"
#include <algorithm>

void hand::kmeansGradient(int N, int K, int D, const double *Points,
                          const double *Centroids, double *DCentroids) {
  std::fill_n(DCentroids, K * D, 0.0);
  for (int I = 0; I < N; ++I) {
    const double *P = Points + I * D;
    double Nearest = 0;
    int Which = 0;
    for (int C = 0; C < K; ++C) {
      double Distance = 0;
      for (int J = 0; J < D; ++J) {
        const double Difference = P[J] - Centroids[C * D + J];
        Distance += Difference * Difference;
      }
      if (C == 0 || Distance < Nearest) {
        Nearest = Distance;
        Which = C;
      }
    }
    for (int J = 0; J < D; ++J)
      DCentroids[Which * D + J] += 2 * (Centroids[Which * D + J] - P[J]);
  }
}
