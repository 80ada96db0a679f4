//===- LstmGradient.cpp - reverse gradient through the whole text -*- C++
//-*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AutoDiff.h"
#include "Lstm.h"
#include <algorithm>

void programs::lstmGradient(const LstmInput &L, const double *P, double *DP) {
  std::fill_n(DP, L.numParameters(), 0.0);
  __enzyme_autodiff<void>((void *)lstmObjective<double>, enzyme_const, L.Layers,
                          enzyme_const, L.Characters, enzyme_const, L.Bits,
                          enzyme_dup, P, DP, enzyme_dup, P + L.extraAt(),
                          DP + L.extraAt(), enzyme_const, L.State.data(),
                          enzyme_const, L.Text.data());
}
