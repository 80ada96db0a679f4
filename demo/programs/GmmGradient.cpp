//===- GmmGradient.cpp - reverse gradient of the mixture's likelihood -*- C++
//-*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AutoDiff.h"
#include "Gmm.h"
#include <algorithm>

void programs::gmmGradient(const GmmInput &G, const double *P, double *DP) {
  std::fill_n(DP, G.numParameters(), 0.0);
  __enzyme_autodiff<void>(
      (void *)gmmObjective<double>, enzyme_const, G.D, enzyme_const, G.K,
      enzyme_const, G.N, enzyme_dup, P, DP, enzyme_dup, P + G.meansAt(),
      DP + G.meansAt(), enzyme_dup, P + G.icfAt(), DP + G.icfAt(), enzyme_const,
      G.X.data(), enzyme_const, G.Gamma, enzyme_const, G.M);
}
