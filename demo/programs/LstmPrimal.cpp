//===- LstmPrimal.cpp - the objective, instantiated for double -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lstm.h"

double programs::lstm(const LstmInput &L, const double *P) {
  return lstmObjective(L.Layers, L.Characters, L.Bits, P, P + L.extraAt(),
                       L.State.data(), L.Text.data());
}
