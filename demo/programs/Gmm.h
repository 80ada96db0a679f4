//===- Gmm.h - log-likelihood of a Gaussian mixture (ADBench) -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fitting a mixture of K Gaussians to n points in d dimensions. A component is
// given by its weight (softmax of alpha), its mean, and the inverse covariance
// factor Q: lower triangular, the logarithms of the diagonal first, then the
// strictly lower part column by column.
//
//   F = - n d/2 log(2 pi)
//       + sum_i lse_k( alpha_k + sum_j q_kj - |Q_k (x_i - mu_k)|^2 / 2 )
//       - n lse_k(alpha_k) + Wishart term
//
// with the sign of the Wishart term as ADBench has it. d(d+1)/2 numbers per
// component make this the objective with the most inputs per point.
//
//===----------------------------------------------------------------------===//

#ifndef PROGRAMS_GMM_H
#define PROGRAMS_GMM_H

#include "Numbers.h"
#include <cmath>
#include <string>
#include <vector>

namespace programs {

struct GmmInput {
  int D = 0, K = 0, N = 0;
  /// alpha[K], mu[K][D], icf[K][D(D+1)/2], one after another.
  std::vector<double> Parameters;
  std::vector<double> X; ///< [N][D]
  double Gamma = 1;
  int M = 0;

  size_t icfSize() const { return size_t(D) * (D + 1) / 2; }
  size_t meansAt() const { return K; }
  size_t icfAt() const { return meansAt() + size_t(K) * D; }
  size_t numParameters() const { return icfAt() + K * icfSize(); }
};

inline GmmInput readGmm(const std::string &Path) {
  NumberReader In(Path);
  GmmInput G;
  G.D = In.integer(), G.K = In.integer(), G.N = In.integer();
  G.Parameters = In.numbers(G.numParameters());
  G.X = In.numbers(size_t(G.N) * G.D);
  G.Gamma = In.number(), G.M = In.integer();
  return G;
}

inline GmmInput makeGmm(int D, int K, int N) {
  Random R(2024 + D * 100 + K);
  GmmInput G;
  G.D = D, G.K = K, G.N = N;
  G.Parameters = R.uniforms(G.numParameters(), -0.5, 0.5);
  G.X = R.uniforms(size_t(N) * D, -1, 1);
  G.Gamma = 1.3, G.M = 2;
  return G;
}

/// log(sum(exp(V))), safe for large V.
template <typename T> T logSumExp(const T *V, int Count) {
  using std::exp;
  using std::log;
  T Largest = V[0];
  for (int I = 1; I < Count; ++I)
    if (V[I] > Largest)
      Largest = V[I];
  T Sum = 0;
  for (int I = 0; I < Count; ++I)
    Sum += exp(V[I] - Largest);
  return Largest + log(Sum);
}

inline double logGammaOfDimension(double A, int D) {
  double Result = D * (D - 1) / 4.0 * std::log(M_PI);
  for (int J = 1; J <= D; ++J)
    Result += std::lgamma(A + 0.5 * (1 - J));
  return Result;
}

template <typename T>
T gmmObjective(int D, int K, int N, const T *Alphas, const T *Means,
               const T *Icf, const double *X, double Gamma, int M) {
  using std::exp;
  const int IcfSize = D * (D + 1) / 2;

  std::vector<T> Diagonal(size_t(K) * D), SumOfLogs(K);
  T Wishart = 0;
  for (int C = 0; C < K; ++C) {
    const T *Q = Icf + C * IcfSize;
    T Sum = 0, Squares = 0;
    for (int J = 0; J < D; ++J) {
      Sum += Q[J];
      Diagonal[C * D + J] = exp(Q[J]);
      Squares += Diagonal[C * D + J] * Diagonal[C * D + J];
    }
    for (int J = D; J < IcfSize; ++J)
      Squares += Q[J] * Q[J];
    SumOfLogs[C] = Sum;
    Wishart += 0.5 * Gamma * Gamma * Squares - M * Sum;
  }

  std::vector<T> Centered(D), Projected(D), Terms(K);
  T Likelihood = 0;
  for (int I = 0; I < N; ++I) {
    for (int C = 0; C < K; ++C) {
      for (int J = 0; J < D; ++J) {
        Centered[J] = X[I * D + J] - Means[C * D + J];
        Projected[J] = Diagonal[C * D + J] * Centered[J];
      }
      const T *Lower = Icf + C * IcfSize + D;
      for (int Column = 0; Column < D; ++Column) {
        const T Factor = Centered[Column];
        for (int Row = Column + 1; Row < D; ++Row)
          Projected[Row] += *Lower++ * Factor;
      }
      T Norm = 0;
      for (int J = 0; J < D; ++J)
        Norm += Projected[J] * Projected[J];
      Terms[C] = Alphas[C] + SumOfLogs[C] - 0.5 * Norm;
    }
    Likelihood += logSumExp(Terms.data(), K);
  }

  const double Freedom = D + M + 1;
  const double Normaliser =
      Freedom * D * (std::log(Gamma) - 0.5 * std::log(2.0)) -
      logGammaOfDimension(0.5 * Freedom, D);
  return -0.5 * N * D * std::log(2 * M_PI) + Likelihood -
         N * logSumExp(Alphas, K) + Wishart - K * Normaliser;
}

/// F at Parameters (in the order of GmmInput::Parameters).
double gmm(const GmmInput &G, const double *Parameters);
/// dF/dParameters, by Retrograd. Gradient is overwritten.
void gmmGradient(const GmmInput &G, const double *Parameters, double *Gradient);

} // namespace programs

#endif
