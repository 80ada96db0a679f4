//===- Brusselator.h - a reaction-diffusion simulation in 2-D -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two substances u, v on the unit torus, N x N cells of width h = 1/N:
//
//   u' = B + u^2 v - (A + 1) u + D laplace(u)
//   v' =     A u  - u^2 v      + D laplace(v)
//
// in S steps of the classical Runge-Kutta method, with
// F = sum over cells of (u^2 + u v) h^2 at the end. Inputs: A, B, D, then u and
// v of all cells: a gradient with thousands of entries for the price of a few
// simulations, which is what adjoint sensitivity analysis is about.
//
//===----------------------------------------------------------------------===//

#ifndef PROGRAMS_BRUSSELATOR_H
#define PROGRAMS_BRUSSELATOR_H

#include <cmath>
#include <vector>

namespace programs {

struct BrusselatorInput {
  int N = 0, Steps = 0;
  double Step = 0;
  /// A, B, D, u[N][N], v[N][N].
  std::vector<double> Parameters;

  size_t numParameters() const { return 3 + size_t(2) * N * N; }
};

inline BrusselatorInput makeBrusselator(int N, int Steps) {
  BrusselatorInput B;
  B.N = N, B.Steps = Steps, B.Step = 0.005;
  B.Parameters = {3.4, 1.0, 0.02};
  for (int I = 0; I < N; ++I)
    for (int J = 0; J < N; ++J) {
      double Y = (J + 0.5) / N;
      B.Parameters.push_back(22 * Y * (1 - Y) * std::sqrt(1 - Y));
    }
  for (int I = 0; I < N; ++I)
    for (int J = 0; J < N; ++J) {
      double X = (I + 0.5) / N;
      B.Parameters.push_back(27 * X * (1 - X) * std::sqrt(1 - X));
    }
  return B;
}

/// Right-hand side; State and Rate hold u[N][N], v[N][N].
template <typename T>
void brusselatorRate(int N, const T &A, const T &B, const T &D, const T *State,
                     T *Rate) {
  const int Cells = N * N;
  const T *U = State, *V = State + Cells;
  const T Diffusion = D * double(N) * double(N);
  for (int I = 0; I < N; ++I) {
    const int Up = (I == 0 ? N - 1 : I - 1) * N, Here = I * N;
    const int Down = (I == N - 1 ? 0 : I + 1) * N;
    for (int J = 0; J < N; ++J) {
      const int Left = J == 0 ? N - 1 : J - 1, Right = J == N - 1 ? 0 : J + 1;
      const T &Uc = U[Here + J], &Vc = V[Here + J];
      T LaplaceU =
          U[Up + J] + U[Down + J] + U[Here + Left] + U[Here + Right] - 4.0 * Uc;
      T LaplaceV =
          V[Up + J] + V[Down + J] + V[Here + Left] + V[Here + Right] - 4.0 * Vc;
      T Reaction = Uc * Uc * Vc;
      Rate[Here + J] = B + Reaction - (A + 1.0) * Uc + Diffusion * LaplaceU;
      Rate[Cells + Here + J] = A * Uc - Reaction + Diffusion * LaplaceV;
    }
  }
}

template <typename T>
T brusselatorFunctional(int N, int Steps, double Step, const T *Parameters) {
  const int Size = 2 * N * N;
  const T &A = Parameters[0], &B = Parameters[1], &D = Parameters[2];
  std::vector<T> State(Parameters + 3, Parameters + 3 + Size);
  std::vector<T> Stage(Size), K1(Size), K2(Size), K3(Size), K4(Size);
  for (int S = 0; S < Steps; ++S) {
    brusselatorRate(N, A, B, D, State.data(), K1.data());
    for (int I = 0; I < Size; ++I)
      Stage[I] = State[I] + 0.5 * Step * K1[I];
    brusselatorRate(N, A, B, D, Stage.data(), K2.data());
    for (int I = 0; I < Size; ++I)
      Stage[I] = State[I] + 0.5 * Step * K2[I];
    brusselatorRate(N, A, B, D, Stage.data(), K3.data());
    for (int I = 0; I < Size; ++I)
      Stage[I] = State[I] + Step * K3[I];
    brusselatorRate(N, A, B, D, Stage.data(), K4.data());
    for (int I = 0; I < Size; ++I)
      State[I] += Step / 6.0 * (K1[I] + 2.0 * K2[I] + 2.0 * K3[I] + K4[I]);
  }
  T Sum = 0;
  for (int I = 0; I < N * N; ++I)
    Sum += State[I] * State[I] + State[I] * State[N * N + I];
  return Sum / (double(N) * N);
}

double brusselator(const BrusselatorInput &B, const double *Parameters);
void brusselatorGradient(const BrusselatorInput &B, const double *Parameters,
                         double *Gradient);

} // namespace programs

#endif
