//===- Ode.cpp - fixed-step Runge-Kutta, by hand -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As in Odeint.cpp: the state before each step is stored, the stages are
// computed again. The rate is bilinear, so its adjoint is two lines.
//
//===----------------------------------------------------------------------===//

#include "../programs/Ode.h"
#include "Hand.h"
#include <algorithm>

void hand::odeGradient(int N, int Steps, const double *X, double *DX) {
  const double H = 2.0 / Steps, Ahead[] = {0.5 * H, 0.5 * H, H, 0};
  const double Weight[] = {H / 6, H / 3, H / 3, H / 6};
  std::vector<double> States(size_t(Steps + 1) * N), Stages(size_t(4) * N),
      K(N);
  auto stages = [&](const double *Y, double *Next) {
    std::copy_n(Y, N, Stages.data());
    for (int Q = 0; Q < 4; ++Q) {
      programs::odeRate(N, X, &Stages[Q * N], K.data());
      for (int I = 0; I < N; ++I) {
        if (Q < 3)
          Stages[(Q + 1) * N + I] = Y[I] + Ahead[Q] * K[I];
        if (Next)
          Next[I] = (Q == 0 ? Y[I] : Next[I]) + Weight[Q] * K[I];
      }
    }
  };
  for (int S = 0; S < Steps; ++S)
    stages(&States[size_t(S) * N], &States[size_t(S + 1) * N]);

  std::fill_n(DX, N, 0.0);
  std::vector<double> D(N), DStage(N), DK(N), Sum(N);
  D[N - 1] = 1;
  for (int S = Steps - 1; S >= 0; --S) {
    stages(&States[size_t(S) * N], nullptr);
    std::fill(DStage.begin(), DStage.end(), 0.0);
    std::copy(D.begin(), D.end(), Sum.begin());
    for (int Q = 3; Q >= 0; --Q) {
      for (int I = 0; I < N; ++I)
        DK[I] = Weight[Q] * D[I] + Ahead[Q] * DStage[I];
      DX[0] += DK[0];
      for (int I = 1; I < N; ++I) {
        DX[I] += DK[I] * Stages[Q * N + I - 1];
        DStage[I - 1] = DK[I] * X[I];
      }
      DStage[N - 1] = 0;
      for (int I = 0; I < N; ++I)
        Sum[I] += DStage[I];
    }
    D = Sum;
  }
}
