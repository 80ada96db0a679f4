//===- KMeansGradient.cpp - by reverse mode -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../demo/programs/AutoDiff.h"
#include "KMeans.h"
#include <algorithm>

void programs::kmeansGradient(int N, int K, int D, const double *Points,
                              const double *Centroids, double *Gradient) {
  std::fill_n(Gradient, K * D, 0.0);
  __enzyme_autodiff<void>((void *)kmeansObjective<double>, enzyme_const, N,
                          enzyme_const, K, enzyme_const, D, enzyme_const,
                          Points, enzyme_dup, Centroids, Gradient);
}
