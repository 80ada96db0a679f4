//===- Gmm.cpp - mixture likelihood, by hand -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A point's share of the gradient is its responsibilities (the softmax of the
// terms) times the derivatives of the terms, so each point is finished before
// the next begins and only the K projections of one point are stored.
//
//===----------------------------------------------------------------------===//

#include "../../demo/programs/Gmm.h"
#include "Hand.h"
#include <algorithm>

void hand::gmmGradient(const programs::GmmInput &G, const double *P,
                       double *DP) {
  const int D = G.D, K = G.K, N = G.N, IcfSize = D * (D + 1) / 2;
  const double *Alphas = P, *Means = P + G.meansAt(), *Icf = P + G.icfAt();
  double *DAlphas = DP, *DMeans = DP + G.meansAt(), *DIcf = DP + G.icfAt();
  std::fill_n(DP, G.numParameters(), 0.0);

  std::vector<double> Diagonal(size_t(K) * D), Bias(K), Share(K), Terms(K),
      Centered(size_t(K) * D), Projected(size_t(K) * D), Adjoint(D);
  for (int C = 0; C < K; ++C) {
    double Sum = 0;
    for (int J = 0; J < D; ++J) {
      Sum += Icf[C * IcfSize + J];
      Diagonal[C * D + J] = std::exp(Icf[C * IcfSize + J]);
    }
    Bias[C] = Alphas[C] + Sum;
  }

  for (int I = 0; I < N; ++I) {
    const double *X = &G.X[size_t(I) * D];
    double Largest = -INFINITY;
    for (int C = 0; C < K; ++C) {
      double *Y = &Centered[C * D], *Z = &Projected[C * D];
      for (int J = 0; J < D; ++J) {
        Y[J] = X[J] - Means[C * D + J];
        Z[J] = Diagonal[C * D + J] * Y[J];
      }
      const double *Lower = Icf + C * IcfSize + D;
      for (int Column = 0; Column < D; ++Column) {
        const double Yc = Y[Column];
        for (int Row = Column + 1; Row < D; ++Row)
          Z[Row] += *Lower++ * Yc;
      }
      double Norm = 0;
      for (int J = 0; J < D; ++J)
        Norm += Z[J] * Z[J];
      Terms[C] = Bias[C] - 0.5 * Norm;
      Largest = std::max(Largest, Terms[C]);
    }
    double Sum = 0;
    for (int C = 0; C < K; ++C)
      Sum += Terms[C] = std::exp(Terms[C] - Largest);
    const double Scale = 1 / Sum;
    for (int C = 0; C < K; ++C) {
      const double W = Terms[C] * Scale;
      Share[C] += W;
      const double *Y = &Centered[C * D], *Z = &Projected[C * D];
      const double *Lower = Icf + C * IcfSize + D;
      double *DQ = DIcf + C * IcfSize, *DLower = DQ + D;
      for (int J = 0; J < D; ++J) {
        Adjoint[J] = W * Z[J];
        DQ[J] -= Adjoint[J] * Y[J] * Diagonal[C * D + J];
      }
      for (int Column = 0; Column < D; ++Column) {
        const double Yc = Y[Column];
        double Back = Adjoint[Column] * Diagonal[C * D + Column];
        for (int Row = Column + 1; Row < D; ++Row) {
          Back += Adjoint[Row] * *Lower++;
          *DLower++ -= Adjoint[Row] * Yc;
        }
        DMeans[C * D + Column] += Back;
      }
    }
  }

  double Largest = *std::max_element(Alphas, Alphas + K), Sum = 0;
  for (int C = 0; C < K; ++C)
    Sum += Terms[C] = std::exp(Alphas[C] - Largest);
  const double Gamma2 = G.Gamma * G.Gamma;
  for (int C = 0; C < K; ++C) {
    DAlphas[C] = Share[C] - N * Terms[C] / Sum;
    double *DQ = DIcf + C * IcfSize;
    for (int J = 0; J < D; ++J)
      DQ[J] +=
          Share[C] - G.M + Gamma2 * Diagonal[C * D + J] * Diagonal[C * D + J];
    for (int J = D; J < IcfSize; ++J)
      DQ[J] += Gamma2 * Icf[C * IcfSize + J];
  }
}
