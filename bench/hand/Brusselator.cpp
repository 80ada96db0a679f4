//===- Brusselator.cpp - reaction-diffusion simulation, by hand -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The discrete adjoint: the states at which rates were taken are stored, and
// the adjoint Runge-Kutta method runs backwards over them. The Laplacian is its
// own adjoint.
//
//===----------------------------------------------------------------------===//

#include "../../demo/programs/Brusselator.h"
#include "Hand.h"
#include <algorithm>

namespace {

struct Adjoint {
  int N;
  double A, B, Diffusion;
  double DA = 0, DB = 0, DDiffusion = 0;

  /// DState = transpose of the derivative of the rate at State, times DRate.
  void pull(const double *State, const double *DRate, double *DState) {
    const int Cells = N * N;
    const double *U = State, *V = State + Cells;
    const double *Ru = DRate, *Rv = DRate + Cells;
    double SumA = 0, SumB = 0, SumD = 0;
    for (int I = 0; I < N; ++I) {
      const int Up = (I == 0 ? N - 1 : I - 1) * N, Here = I * N;
      const int Down = (I == N - 1 ? 0 : I + 1) * N;
      auto cell = [&](int Left, int J, int Right) {
        auto laplace = [&](const double *W) {
          return W[Up + J] + W[Down + J] + W[Here + Left] + W[Here + Right] -
                 4 * W[Here + J];
        };
        const int C = Here + J;
        const double Difference = Ru[C] - Rv[C], Lu = laplace(Ru),
                     Lv = laplace(Rv);
        SumA -= Difference * U[C];
        SumB += Ru[C];
        SumD += Lu * U[C] + Lv * V[C];
        DState[C] = Difference * (2 * U[C] * V[C] - A) - Ru[C] + Diffusion * Lu;
        DState[Cells + C] = Difference * U[C] * U[C] + Diffusion * Lv;
      };
      cell(N - 1, 0, 1);
      for (int J = 1; J < N - 1; ++J)
        cell(J - 1, J, J + 1);
      cell(N - 2, N - 1, 0);
    }
    DA += SumA, DB += SumB, DDiffusion += SumD;
  }
};

} // namespace

void hand::brusselatorGradient(const programs::BrusselatorInput &In,
                               const double *P, double *DP) {
  const int N = In.N, Size = 2 * N * N, Steps = In.Steps;
  const double H = In.Step, Scale = double(N) * N;
  Adjoint Rate{N, P[0], P[1], P[2] * Scale};

  std::vector<double> Stages(size_t(4) * Steps * Size),
      State(P + 3, P + 3 + Size);
  std::vector<double> K(Size), Sum(Size);
  auto stage = [&](int Step, int Number) {
    return &Stages[(size_t(4) * Step + Number) * Size];
  };
  for (int S = 0; S < Steps; ++S) {
    const double Ahead[] = {0.5 * H, 0.5 * H, H}, Weight[] = {1, 2, 2, 1};
    std::copy(State.begin(), State.end(), stage(S, 0));
    for (int Q = 0; Q < 4; ++Q) {
      programs::brusselatorRate(N, P[0], P[1], P[2], stage(S, Q), K.data());
      double *Next = Q < 3 ? stage(S, Q + 1) : nullptr;
      for (int I = 0; I < Size; ++I) {
        Sum[I] = Q == 0 ? K[I] : Sum[I] + Weight[Q] * K[I];
        if (Next)
          Next[I] = State[I] + Ahead[Q] * K[I];
      }
    }
    for (int I = 0; I < Size; ++I)
      State[I] += H / 6 * Sum[I];
  }

  std::vector<double> D(Size), DSum(Size), DStage(Size), DK(Size);
  for (int I = 0; I < N * N; ++I) {
    D[I] = (2 * State[I] + State[N * N + I]) / Scale;
    D[N * N + I] = State[I] / Scale;
  }
  for (int S = Steps - 1; S >= 0; --S) {
    // K4, K3, K2, K1: DK = weight * D + (step to the next stage) * DStage.
    const double Weight[] = {H / 6, H / 3, H / 3, H / 6},
                 Ahead[] = {H / 2, H / 2, H, 0};
    for (int Q = 3; Q >= 0; --Q) {
      for (int I = 0; I < Size; ++I)
        DK[I] = Weight[Q] * D[I] + (Q == 3 ? 0 : Ahead[Q] * DStage[I]);
      Rate.pull(stage(S, Q), DK.data(), DStage.data());
      for (int I = 0; I < Size; ++I)
        DSum[I] = Q == 3 ? DStage[I] : DSum[I] + DStage[I];
    }
    for (int I = 0; I < Size; ++I)
      D[I] += DSum[I];
  }
  DP[0] = Rate.DA;
  DP[1] = Rate.DB;
  DP[2] = Rate.DDiffusion * Scale;
  std::copy(D.begin(), D.end(), DP + 3);
}
