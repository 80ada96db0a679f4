//===- LorenzPrimal.cpp - Lorenz, integrated by Euler and by RK4 -*- C++
//-*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Odeint.h"

using namespace programs;

double programs::lorenzEuler(const double *X, int Steps) {
  return lorenzFunctional<odeint::euler<LorenzState>>(X, LorenzStep, Steps);
}
double programs::lorenzRk4(const double *X, int Steps) {
  return lorenzFunctional<odeint::runge_kutta4<LorenzState>>(X, LorenzStep,
                                                             Steps);
}
