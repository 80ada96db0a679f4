//===- Llsq.cpp - least squares, by hand -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Hand.h"
#include <algorithm>
#include <vector>

void hand::llsqGradient(int M, int N, const double *X, double *DX) {
  std::fill_n(DX, M, 0.0);
  std::vector<double> Powers(M);
  for (int I = 0; I < N; ++I) {
    const double Time = -1 + I * 2.0 / (N - 1);
    double Residual = Time > 0 ? 1 : Time < 0 ? -1 : 0, Power = 1;
    for (int J = 0; J < M; ++J) {
      Powers[J] = Power;
      Residual -= X[J] * Power;
      Power *= Time;
    }
    for (int J = 0; J < M; ++J)
      DX[J] -= Residual * Powers[J];
  }
}
