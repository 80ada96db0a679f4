//===- Llsq.h - linear least squares objective -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// y(x) = 1/2 sum_i (s_i - x_0 - x_1 t_i - x_2 t_i^2 - ...)^2 with
// t_i = -1 + 2 i / (n - 1) and s_i = sign(t_i): few inputs, many terms.
//
//===----------------------------------------------------------------------===//

#ifndef BENCH_LLSQ_H
#define BENCH_LLSQ_H

namespace programs {

template <typename T> T llsqObjective(int M, int N, const T *X) {
  T Sum = 0;
  for (int I = 0; I < N; ++I) {
    const double Time = -1 + I * 2.0 / (N - 1);
    const double Sign = Time > 0 ? 1 : Time < 0 ? -1 : 0;
    T Residual = Sign;
    double Power = 1;
    for (int J = 0; J < M; ++J) {
      Residual -= X[J] * Power;
      Power *= Time;
    }
    Sum += Residual * Residual;
  }
  return 0.5 * Sum;
}

double llsq(int M, int N, const double *X);
void llsqGradient(int M, int N, const double *X, double *Gradient);

} // namespace programs

#endif
