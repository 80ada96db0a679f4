//===- Lse.cpp - log-sum-exp, by hand -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Hand.h"
#include <algorithm>
#include <cmath>

void hand::lseGradient(int N, const double *X, double *DX) {
  double Largest = X[0];
  for (int I = 1; I < N; ++I)
    if (X[I] > Largest)
      Largest = X[I];
  double Sum = 0;
  for (int I = 0; I < N; ++I)
    Sum += DX[I] = std::exp(X[I] - Largest);
  const double Scale = 1 / Sum;
  for (int I = 0; I < N; ++I)
    DX[I] *= Scale;
}
