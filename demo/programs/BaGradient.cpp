//===- BaGradient.cpp - Jacobian by rows, and the gradient of the cost -*- C++
//-*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AutoDiff.h"
#include "Ba.h"
#include <algorithm>

void programs::baJacobian(const BaInput &B, const double *P, double *Entries) {
  const int Count = B.NumObservations;
  const double *Points = P + B.pointsAt(), *Weights = P + B.weightsAt();
  std::fill_n(Entries, size_t(2 * BaBlock + 1) * Count, 0.0);
  // Both rows of an observation at once: they share its primal.
  constexpr size_t RowBytes = BaBlock * sizeof(double);
  for (int I = 0; I < Count; ++I) {
    double *D = Entries + size_t(2 * I) * BaBlock;
    double Residual[2], Seed[2][2] = {{1.0, 0.0}, {0.0, 1.0}};
    __enzyme_autodiff<void>(
        (void *)baResidual<double>, enzyme_width, 2, enzyme_dupv, RowBytes,
        P + BaCamera * B.CameraOf[I], D, enzyme_dupv, RowBytes,
        Points + 3 * B.PointOf[I], D + BaCamera, enzyme_dupv, RowBytes,
        Weights + I, D + BaCamera + 3, enzyme_const, B.Features.data() + 2 * I,
        enzyme_dupnoneedv, sizeof Seed[0], (double *)Residual,
        (double *)Seed[0]);
  }
  double *D = Entries + size_t(2 * BaBlock) * Count;
  for (int I = 0; I < Count; ++I)
    D[I] = __enzyme_autodiff<double>((void *)baWeightError<double>, Weights[I]);
}

void programs::baCostGradient(const BaInput &B, const double *P, double *DP) {
  std::fill_n(DP, B.numParameters(), 0.0);
  __enzyme_autodiff<void>((void *)baHalfSumOfSquares<double>, enzyme_const,
                          B.NumObservations, enzyme_const, B.CameraOf.data(),
                          enzyme_const, B.PointOf.data(), enzyme_dup, P, DP,
                          enzyme_dup, P + B.pointsAt(), DP + B.pointsAt(),
                          enzyme_dup, P + B.weightsAt(), DP + B.weightsAt(),
                          enzyme_const, B.Features.data());
}
