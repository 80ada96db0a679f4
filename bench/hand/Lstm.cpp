//===- Lstm.cpp - LSTM, by hand -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../demo/programs/Lstm.h"
#include "Hand.h"
#include <algorithm>

void hand::lstmGradient(const programs::LstmInput &L, const double *P,
                        double *DP) {
  const int Layers = L.Layers, B = L.Bits, Steps = L.Characters - 1;
  const double *Main = P, *Extra = P + L.extraAt();
  double *DExtra = DP + L.extraAt();
  std::fill_n(DP, L.numParameters(), 0.0);

  // What a layer leaves behind at each step: its four gates, the input it saw,
  // the old hidden and cell, and tanh of the new cell.
  enum { Forget, In, Out, Change, Input, OldHidden, OldCell, TanhCell, Kinds };
  std::vector<double> Tape(size_t(Steps) * Layers * Kinds * B);
  std::vector<double> Probability(size_t(Steps) * B), Last(size_t(Steps) * B);
  auto record = [&](int Step, int Layer) {
    return &Tape[(size_t(Step) * Layers + Layer) * Kinds * B];
  };
  auto sigmoid = [](double X) { return 1 / (1 + std::exp(-X)); };

  std::vector<double> State(L.State), Z(B);
  for (int S = 0; S < Steps; ++S) {
    for (int J = 0; J < B; ++J)
      Z[J] = L.Text[S * B + J] * Extra[J];
    for (int K = 0; K < Layers; ++K) {
      const double *W = Main + 8 * K * B, *Bias = W + 4 * B;
      double *Hidden = &State[2 * K * B], *Cell = Hidden + B, *R = record(S, K);
      for (int J = 0; J < B; ++J) {
        const double H = Hidden[J], C = Cell[J], X = Z[J];
        const double F = sigmoid(X * W[J] + Bias[J]);
        const double I = sigmoid(H * W[B + J] + Bias[B + J]);
        const double O = sigmoid(X * W[2 * B + J] + Bias[2 * B + J]);
        const double G = std::tanh(H * W[3 * B + J] + Bias[3 * B + J]);
        const double New = C * F + I * G, Tanh = std::tanh(New);
        R[Forget * B + J] = F, R[In * B + J] = I, R[Out * B + J] = O;
        R[Change * B + J] = G, R[Input * B + J] = X, R[OldHidden * B + J] = H;
        R[OldCell * B + J] = C, R[TanhCell * B + J] = Tanh;
        Cell[J] = New;
        Z[J] = Hidden[J] = O * Tanh;
      }
    }
    double Sum = 2;
    for (int J = 0; J < B; ++J) {
      Last[S * B + J] = Z[J];
      Sum += Probability[S * B + J] =
          std::exp(Z[J] * Extra[B + J] + Extra[2 * B + J]);
    }
    for (int J = 0; J < B; ++J)
      Probability[S * B + J] /= Sum;
  }

  const double Seed = -1.0 / (double(B) * Steps);
  std::vector<double> DState(State.size()), DZ(B);
  for (int S = Steps - 1; S >= 0; --S) {
    const double *Next = &L.Text[(S + 1) * B];
    double Ones = 0;
    for (int J = 0; J < B; ++J)
      Ones += Next[J];
    for (int J = 0; J < B; ++J) {
      const double DY = Seed * (Next[J] - Ones * Probability[S * B + J]);
      DExtra[B + J] += DY * Last[S * B + J];
      DExtra[2 * B + J] += DY;
      DZ[J] = DY * Extra[B + J];
    }
    for (int K = Layers - 1; K >= 0; --K) {
      const double *W = Main + 8 * K * B, *R = record(S, K);
      double *DW = DP + 8 * K * B, *DBias = DW + 4 * B;
      double *DHidden = &DState[2 * K * B], *DCell = DHidden + B;
      for (int J = 0; J < B; ++J) {
        const double F = R[Forget * B + J], I = R[In * B + J];
        const double O = R[Out * B + J], G = R[Change * B + J];
        const double X = R[Input * B + J], H = R[OldHidden * B + J];
        const double C = R[OldCell * B + J], Tanh = R[TanhCell * B + J];
        const double DNew = DHidden[J] + DZ[J];
        const double DC = DCell[J] + DNew * O * (1 - Tanh * Tanh);
        const double DF = DC * C * F * (1 - F), DI = DC * G * I * (1 - I);
        const double DO = DNew * Tanh * O * (1 - O), DG = DC * I * (1 - G * G);
        DCell[J] = DC * F;
        DW[J] += DF * X, DBias[J] += DF;
        DW[B + J] += DI * H, DBias[B + J] += DI;
        DW[2 * B + J] += DO * X, DBias[2 * B + J] += DO;
        DW[3 * B + J] += DG * H, DBias[3 * B + J] += DG;
        DHidden[J] = DI * W[B + J] + DG * W[3 * B + J];
        DZ[J] = DF * W[J] + DO * W[2 * B + J];
      }
    }
    for (int J = 0; J < B; ++J)
      DExtra[J] += DZ[J] * L.Text[S * B + J];
  }
}
