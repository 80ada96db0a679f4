//===- KMeansPrimal.cpp - k-means, instantiated for double -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KMeans.h"

double programs::kmeans(int N, int K, int D, const double *Points,
                        const double *Centroids) {
  return kmeansObjective(N, K, D, Points, Centroids);
}
