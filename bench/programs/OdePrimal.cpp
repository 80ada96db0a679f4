//===- OdePrimal.cpp - Runge-Kutta, instantiated for double -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ode.h"

double programs::ode(int N, int Steps, const double *X) {
  return odeObjective(N, Steps, X);
}
