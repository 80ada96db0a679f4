//===- Odeint.cpp - trajectories of small systems, by hand -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Discrete adjoints of the Euler and the Runge-Kutta method for systems whose
// state fits into registers: only the state at the start of each step is
// stored, its stages are computed again.
//
//===----------------------------------------------------------------------===//

#include "../../demo/programs/Odeint.h"
#include "Hand.h"
#include <algorithm>

namespace {

struct Lorenz {
  static constexpr int Size = 3, Parameters = 3;
  static void rate(const double *P, const double *X, double *R) {
    R[0] = P[0] * (X[1] - X[0]);
    R[1] = P[1] * X[0] - X[1] - X[0] * X[2];
    R[2] = X[0] * X[1] - P[2] * X[2];
  }
  static void pull(const double *P, const double *X, const double *DR,
                   double *DP, double *DX) {
    DP[0] += (X[1] - X[0]) * DR[0];
    DP[1] += X[0] * DR[1];
    DP[2] -= X[2] * DR[2];
    DX[0] = -P[0] * DR[0] + (P[1] - X[2]) * DR[1] + X[1] * DR[2];
    DX[1] = P[0] * DR[0] - DR[1] + X[0] * DR[2];
    DX[2] = -X[0] * DR[1] - P[2] * DR[2];
  }
  /// Derivative of the functional by the state at the end; and by the state
  /// before step S, directly.
  static void atEnd(const double *X, int, double *DX) {
    for (int I = 0; I < 3; ++I)
      DX[I] = X[I];
  }
  static void atStep(const double *, int, double *) {}
};

struct LotkaVolterra {
  static constexpr int Size = 2, Parameters = 4;
  static void rate(const double *P, const double *X, double *R) {
    R[0] = P[0] * X[0] - P[1] * X[0] * X[1];
    R[1] = P[3] * X[0] * X[1] - P[2] * X[1];
  }
  static void pull(const double *P, const double *X, const double *DR,
                   double *DP, double *DX) {
    DP[0] += X[0] * DR[0];
    DP[1] -= X[0] * X[1] * DR[0];
    DP[2] -= X[1] * DR[1];
    DP[3] += X[0] * X[1] * DR[1];
    DX[0] = (P[0] - P[1] * X[1]) * DR[0] + P[3] * X[1] * DR[1];
    DX[1] = -P[1] * X[0] * DR[0] + (P[3] * X[0] - P[2]) * DR[1];
  }
  static void atEnd(const double *X, int Steps, double *DX) {
    DX[0] = 2 * X[0] / (Steps + 1);
    DX[1] = 1;
  }
  static void atStep(const double *X, int Steps, double *DX) {
    DX[0] += 2 * X[0] / (Steps + 1);
  }
};

struct Euler {
  template <typename S> static void step(const double *P, double H, double *X) {
    double K[S::Size];
    S::rate(P, X, K);
    for (int I = 0; I < S::Size; ++I)
      X[I] += H * K[I];
  }
  template <typename S>
  static void pull(const double *P, double H, const double *X, double *DP,
                   double *D) {
    double DK[S::Size], DX[S::Size];
    for (int I = 0; I < S::Size; ++I)
      DK[I] = H * D[I];
    S::pull(P, X, DK, DP, DX);
    for (int I = 0; I < S::Size; ++I)
      D[I] += DX[I];
  }
};

struct Rk4 {
  template <typename S>
  static void stages(const double *P, double H, const double *X,
                     double (*Stage)[S::Size], double *Sum) {
    const double Ahead[] = {0.5 * H, 0.5 * H, H}, Weight[] = {1, 2, 2, 1};
    for (int I = 0; I < S::Size; ++I)
      Stage[0][I] = X[I], Sum[I] = 0;
    for (int Q = 0; Q < 4; ++Q) {
      double K[S::Size];
      S::rate(P, Stage[Q], K);
      for (int I = 0; I < S::Size; ++I) {
        Sum[I] += Weight[Q] * K[I];
        if (Q < 3)
          Stage[Q + 1][I] = X[I] + Ahead[Q] * K[I];
      }
    }
  }
  template <typename S> static void step(const double *P, double H, double *X) {
    double Stage[4][S::Size], Sum[S::Size];
    stages<S>(P, H, X, Stage, Sum);
    for (int I = 0; I < S::Size; ++I)
      X[I] += H / 6 * Sum[I];
  }
  template <typename S>
  static void pull(const double *P, double H, const double *X, double *DP,
                   double *D) {
    double Stage[4][S::Size], Sum[S::Size];
    stages<S>(P, H, X, Stage, Sum);
    const double Weight[] = {H / 6, H / 3, H / 3, H / 6},
                 Ahead[] = {H / 2, H / 2, H, 0};
    double DStage[S::Size] = {}, Total[S::Size] = {};
    for (int Q = 3; Q >= 0; --Q) {
      double DK[S::Size];
      for (int I = 0; I < S::Size; ++I)
        DK[I] = Weight[Q] * D[I] + Ahead[Q] * DStage[I];
      S::pull(P, Stage[Q], DK, DP, DStage);
      for (int I = 0; I < S::Size; ++I)
        Total[I] += DStage[I];
    }
    for (int I = 0; I < S::Size; ++I)
      D[I] += Total[I];
  }
};

template <typename Method, typename S>
void gradient(const double *In, double H, int Steps, double *Out) {
  double P[S::Parameters], X[S::Size], DP[S::Parameters] = {}, D[S::Size];
  std::copy_n(In, S::Parameters, P);
  std::copy_n(In + S::Parameters, S::Size, X);
  std::vector<double> States(size_t(Steps) * S::Size);
  for (int I = 0; I < Steps; ++I) {
    std::copy_n(X, S::Size, &States[size_t(I) * S::Size]);
    Method::template step<S>(P, H, X);
  }
  S::atEnd(X, Steps, D);
  for (int I = Steps - 1; I >= 0; --I) {
    const double *Before = &States[size_t(I) * S::Size];
    Method::template pull<S>(P, H, Before, DP, D);
    S::atStep(Before, Steps, D);
  }
  std::copy_n(DP, S::Parameters, Out);
  std::copy_n(D, S::Size, Out + S::Parameters);
}

} // namespace

using programs::LorenzStep;
using programs::LotkaVolterraStep;

void hand::lorenzEulerGradient(const double *X, int Steps, double *DX) {
  gradient<Euler, Lorenz>(X, LorenzStep, Steps, DX);
}
void hand::lorenzRk4Gradient(const double *X, int Steps, double *DX) {
  gradient<Rk4, Lorenz>(X, LorenzStep, Steps, DX);
}
void hand::lotkaVolterraEulerGradient(const double *X, int Steps, double *DX) {
  gradient<Euler, LotkaVolterra>(X, LotkaVolterraStep, Steps, DX);
}
void hand::lotkaVolterraRk4Gradient(const double *X, int Steps, double *DX) {
  gradient<Rk4, LotkaVolterra>(X, LotkaVolterraStep, Steps, DX);
}
