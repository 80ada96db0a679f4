//===- LotkaVolterraGradient.cpp - reverse gradients of the LotkaVolterra
// trajectories -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AutoDiff.h"
#include "Odeint.h"
#include <algorithm>

using namespace programs;

void programs::lotkaVolterraEulerGradient(const double *X, int Steps,
                                          double *DX) {
  std::fill_n(DX, LotkaVolterraInputs, 0.0);
  __enzyme_autodiff<void>(
      (void *)lotkaVolterraFunctional<odeint::euler<LotkaVolterraState>>,
      enzyme_dup, X, DX, enzyme_const, LotkaVolterraStep, enzyme_const, Steps);
}
void programs::lotkaVolterraRk4Gradient(const double *X, int Steps,
                                        double *DX) {
  std::fill_n(DX, LotkaVolterraInputs, 0.0);
  __enzyme_autodiff<void>(
      (void *)lotkaVolterraFunctional<odeint::runge_kutta4<LotkaVolterraState>>,
      enzyme_dup, X, DX, enzyme_const, LotkaVolterraStep, enzyme_const, Steps);
}
