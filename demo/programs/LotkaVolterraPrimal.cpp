//===- LotkaVolterraPrimal.cpp - LotkaVolterra, integrated by Euler and by RK4
//-*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Odeint.h"

using namespace programs;

double programs::lotkaVolterraEuler(const double *X, int Steps) {
  return lotkaVolterraFunctional<odeint::euler<LotkaVolterraState>>(
      X, LotkaVolterraStep, Steps);
}
double programs::lotkaVolterraRk4(const double *X, int Steps) {
  return lotkaVolterraFunctional<odeint::runge_kutta4<LotkaVolterraState>>(
      X, LotkaVolterraStep, Steps);
}
