//===- Adolc.cpp - gradients by operator overloading -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Adolc.h"
#include "../../demo/programs/Ba.h"
#include "../../demo/programs/Brusselator.h"
#include "../../demo/programs/Fft.h"
#include "../../demo/programs/Gmm.h"
#include "../../demo/programs/Lstm.h"
#include "../programs/Det.h"
#include "../programs/KMeans.h"
#include "../programs/Llsq.h"
#include "../programs/Lse.h"
#include "../programs/Ode.h"
#include <adolc/adolc.h>

/// Records F at X and sweeps back. The tape's buffers are large enough for the
/// programs here to stay in memory.
template <typename Function>
static void differentiate(size_t Count, const double *X, double *DX,
                          Function F) {
  const int Tag = 1;
  const size_t Buffer = size_t(1) << 25;
  trace_on(Tag, 1, Buffer, Buffer, Buffer, Buffer);
  {
    std::vector<adouble> A(Count);
    for (size_t I = 0; I < Count; ++I)
      A[I] <<= X[I];
    adouble Y = F(A.data());
    double Value;
    Y >>= Value;
  }
  trace_off();
  double Seed = 1;
  reverse(Tag, 1, int(Count), 0, &Seed, DX);
}

void withAdolc::gmmGradient(const programs::GmmInput &G, const double *P,
                            double *DP) {
  differentiate(G.numParameters(), P, DP, [&](const adouble *A) {
    return programs::gmmObjective(G.D, G.K, G.N, A, A + G.meansAt(),
                                  A + G.icfAt(), G.X.data(), G.Gamma, G.M);
  });
}

void withAdolc::baCostGradient(const programs::BaInput &B, const double *P,
                               double *DP) {
  differentiate(B.numParameters(), P, DP, [&](const adouble *A) {
    return programs::baHalfSumOfSquares(B.NumObservations, B.CameraOf.data(),
                                        B.PointOf.data(), A, A + B.pointsAt(),
                                        A + B.weightsAt(), B.Features.data());
  });
}

void withAdolc::lstmGradient(const programs::LstmInput &L, const double *P,
                             double *DP) {
  differentiate(L.numParameters(), P, DP, [&](const adouble *A) {
    return programs::lstmObjective(L.Layers, L.Characters, L.Bits, A,
                                   A + L.extraAt(), L.State.data(),
                                   L.Text.data());
  });
}

void withAdolc::spectrumGradient(const programs::FftInput &F, const double *X,
                                 double *DX) {
  differentiate(F.Signal.size(), X, DX, [&](const adouble *A) {
    return programs::spectrumFunctional(F.N, A, F.Roots.data(),
                                        F.Weights.data());
  });
}

void withAdolc::brusselatorGradient(const programs::BrusselatorInput &B,
                                    const double *P, double *DP) {
  differentiate(B.numParameters(), P, DP, [&](const adouble *A) {
    return programs::brusselatorFunctional(B.N, B.Steps, B.Step, A);
  });
}

void withAdolc::lseGradient(int N, const double *X, double *DX) {
  differentiate(N, X, DX,
                [&](const adouble *A) { return programs::lseObjective(N, A); });
}

void withAdolc::llsqGradient(int M, int N, const double *X, double *DX) {
  differentiate(M, X, DX, [&](const adouble *A) {
    return programs::llsqObjective(M, N, A);
  });
}

void withAdolc::detGradient(int L, const double *M, double *DM) {
  differentiate(size_t(L) * L, M, DM,
                [&](const adouble *A) { return programs::detObjective(L, A); });
}

void withAdolc::kmeansGradient(int N, int K, int D, const double *Points,
                               const double *Centroids, double *DCentroids) {
  differentiate(size_t(K) * D, Centroids, DCentroids, [&](const adouble *A) {
    return programs::kmeansObjective(N, K, D, Points, A);
  });
}

void withAdolc::odeGradient(int N, int Steps, const double *X, double *DX) {
  differentiate(N, X, DX, [&](const adouble *A) {
    return programs::odeObjective(N, Steps, A);
  });
}
