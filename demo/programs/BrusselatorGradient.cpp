//===- BrusselatorGradient.cpp - reverse gradient of the simulation -*- C++
//-*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AutoDiff.h"
#include "Brusselator.h"
#include <algorithm>

void programs::brusselatorGradient(const BrusselatorInput &B, const double *P,
                                   double *DP) {
  std::fill_n(DP, B.numParameters(), 0.0);
  __enzyme_autodiff<void>((void *)brusselatorFunctional<double>, enzyme_const,
                          B.N, enzyme_const, B.Steps, enzyme_const, B.Step,
                          enzyme_dup, P, DP);
}
