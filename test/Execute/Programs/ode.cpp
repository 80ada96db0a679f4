//===- ode.cpp - fixed-step Runge-Kutta -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RG-FLAGS: -std=c++20 -I%root

#include "bench/hand/Ode.cpp"
#include "bench/programs/OdeGradient.cpp"
#include "bench/programs/OdePrimal.cpp"
#include "demo/programs/Numbers.h"
#include "Inputs/Check.h"

using namespace programs;

int main() {
  const int N = 4, Steps = 20;
  const Vector X = Random(6).uniforms(N, 0.5, 1.5);
  Vector Got(N, 1), Want(N);
  odeGradient(N, Steps, X.data(), Got.data());
  hand::odeGradient(N, Steps, X.data(), Want.data());
  checkEntries(Got, Want);
  checkDifferences([&](const double *P) { return ode(N, Steps, P); }, X, Got);
  return rgReport();
}
