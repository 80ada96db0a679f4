//===- Lse.h - log-sum-exp -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LSE(x) = a + log(sum_i exp(x_i - a)), a = max x. One exponential per input in
// both the value and the gradient, so the gradient can be nearly free.
//
//===----------------------------------------------------------------------===//

#ifndef BENCH_LSE_H
#define BENCH_LSE_H

#include <cmath>

namespace programs {

template <typename T> T lseObjective(int N, const T *X) {
  using std::exp;
  using std::log;
  T Largest = X[0];
  for (int I = 1; I < N; ++I)
    if (X[I] > Largest)
      Largest = X[I];
  T Sum = 0;
  for (int I = 0; I < N; ++I)
    Sum += exp(X[I] - Largest);
  return Largest + log(Sum);
}

double lse(int N, const double *X);
void lseGradient(int N, const double *X, double *Gradient);

} // namespace programs

#endif
