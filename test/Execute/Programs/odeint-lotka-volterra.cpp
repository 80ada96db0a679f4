//===- odeint-lotka-volterra.cpp - Boost.Odeint, used as packaged -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RG-FLAGS: -std=c++20 -I%root
// REQUIRES: boost

#include "bench/hand/Odeint.cpp"
#include "demo/programs/LotkaVolterraGradient.cpp"
#include "demo/programs/LotkaVolterraPrimal.cpp"
#include "Inputs/Check.h"

using namespace programs;

int main() {
  const Vector X = {1.1, 0.4, 0.4, 0.1, 10, 5};
  const int Steps = 60;
  Vector Got(6, 1), Want(6);
  lotkaVolterraEulerGradient(X.data(), Steps, Got.data());
  hand::lotkaVolterraEulerGradient(X.data(), Steps, Want.data());
  checkEntries(Got, Want);
  checkDifferences(
      [=](const double *P) { return lotkaVolterraEuler(P, Steps); }, X, Got);
  lotkaVolterraRk4Gradient(X.data(), Steps, Got.data());
  hand::lotkaVolterraRk4Gradient(X.data(), Steps, Want.data());
  checkEntries(Got, Want);
  checkDifferences([=](const double *P) { return lotkaVolterraRk4(P, Steps); },
                   X, Got);
  return rgReport();
}
