//===- GmmPrimal.cpp - the objective, instantiated for double -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gmm.h"

double programs::gmm(const GmmInput &G, const double *P) {
  return gmmObjective(G.D, G.K, G.N, P, P + G.meansAt(), P + G.icfAt(),
                      G.X.data(), G.Gamma, G.M);
}
