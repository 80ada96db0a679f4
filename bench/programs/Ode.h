//===- Ode.h - a fixed-step Runge-Kutta solution -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// y_0' = x_0, y_i' = x_i y_(i-1), y(0) = 0, classical Runge-Kutta in s steps
// from 0 to 2; F = y_(n-1)(2). A long sequential loop with a small state.
//
//===----------------------------------------------------------------------===//

#ifndef BENCH_ODE_H
#define BENCH_ODE_H

#include <vector>

namespace programs {

template <typename T> void odeRate(int N, const T *X, const T *Y, T *Rate) {
  Rate[0] = X[0];
  for (int I = 1; I < N; ++I)
    Rate[I] = X[I] * Y[I - 1];
}

template <typename T> T odeObjective(int N, int Steps, const T *X) {
  const double H = 2.0 / Steps;
  std::vector<T> Y(N), Stage(N), K1(N), K2(N), K3(N), K4(N);
  for (int I = 0; I < N; ++I)
    Y[I] = 0;
  for (int S = 0; S < Steps; ++S) {
    odeRate(N, X, Y.data(), K1.data());
    for (int I = 0; I < N; ++I)
      Stage[I] = Y[I] + 0.5 * H * K1[I];
    odeRate(N, X, Stage.data(), K2.data());
    for (int I = 0; I < N; ++I)
      Stage[I] = Y[I] + 0.5 * H * K2[I];
    odeRate(N, X, Stage.data(), K3.data());
    for (int I = 0; I < N; ++I)
      Stage[I] = Y[I] + H * K3[I];
    odeRate(N, X, Stage.data(), K4.data());
    for (int I = 0; I < N; ++I)
      Y[I] += H / 6.0 * (K1[I] + 2.0 * K2[I] + 2.0 * K3[I] + K4[I]);
  }
  return Y[N - 1];
}

double ode(int N, int Steps, const double *X);
void odeGradient(int N, int Steps, const double *X, double *Gradient);

} // namespace programs

#endif
