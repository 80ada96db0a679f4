//===- LorenzGradient.cpp - reverse gradients of the Lorenz trajectories -*- C++
//-*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AutoDiff.h"
#include "Odeint.h"
#include <algorithm>

using namespace programs;

void programs::lorenzEulerGradient(const double *X, int Steps, double *DX) {
  std::fill_n(DX, LorenzInputs, 0.0);
  __enzyme_autodiff<void>((void *)lorenzFunctional<odeint::euler<LorenzState>>,
                          enzyme_dup, X, DX, enzyme_const, LorenzStep,
                          enzyme_const, Steps);
}
void programs::lorenzRk4Gradient(const double *X, int Steps, double *DX) {
  std::fill_n(DX, LorenzInputs, 0.0);
  __enzyme_autodiff<void>(
      (void *)lorenzFunctional<odeint::runge_kutta4<LorenzState>>, enzyme_dup,
      X, DX, enzyme_const, LorenzStep, enzyme_const, Steps);
}
