//===- BrusselatorPrimal.cpp - the simulation, instantiated for double -*- C++
//-*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Brusselator.h"

double programs::brusselator(const BrusselatorInput &B, const double *P) {
  return brusselatorFunctional(B.N, B.Steps, B.Step, P);
}
