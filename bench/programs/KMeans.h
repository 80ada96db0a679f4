//===- KMeans.h - k-means cost -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// sum_i min_j |C_j - P_i|^2, differentiated by the centroids C: the minimum
// makes all but one of the k distances of a point irrelevant to the gradient.
//
//===----------------------------------------------------------------------===//

#ifndef BENCH_KMEANS_H
#define BENCH_KMEANS_H

namespace programs {

template <typename T>
T kmeansObjective(int N, int K, int D, const double *Points,
                  const T *Centroids) {
  T Sum = 0;
  for (int I = 0; I < N; ++I) {
    T Nearest = 0;
    for (int C = 0; C < K; ++C) {
      T Distance = 0;
      for (int J = 0; J < D; ++J) {
        T Difference = Points[I * D + J] - Centroids[C * D + J];
        Distance += Difference * Difference;
      }
      if (C == 0 || Distance < Nearest)
        Nearest = Distance;
    }
    Sum += Nearest;
  }
  return Sum;
}

double kmeans(int N, int K, int D, const double *Points,
              const double *Centroids);
void kmeansGradient(int N, int K, int D, const double *Points,
                    const double *Centroids, double *Gradient);

} // namespace programs

#endif
