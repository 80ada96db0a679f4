//===- BaPrimal.cpp - the residuals, instantiated for double -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ba.h"

void programs::ba(const BaInput &B, const double *P, double *Outputs) {
  baOutputs(B.NumObservations, B.CameraOf.data(), B.PointOf.data(), P,
            P + B.pointsAt(), P + B.weightsAt(), B.Features.data(), Outputs);
}

double programs::baCost(const BaInput &B, const double *P) {
  return baHalfSumOfSquares(B.NumObservations, B.CameraOf.data(),
                            B.PointOf.data(), P, P + B.pointsAt(),
                            P + B.weightsAt(), B.Features.data());
}
