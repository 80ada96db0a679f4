//===- odeint-lorenz.cpp - Boost.Odeint, used as packaged -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RG-LEVELS: O2
// RG-FLAGS: -std=c++20 -I%root
// REQUIRES: boost

#include "bench/hand/Odeint.cpp"
#include "demo/programs/LorenzGradient.cpp"
#include "demo/programs/LorenzPrimal.cpp"
#include "Inputs/Check.h"

using namespace programs;

int main() {
  const Vector X = {10, 28, 8.0 / 3, 1.5, 1.2, 20};
  const int Steps = 60;
  Vector Got(6, 1), Want(6);
  lorenzEulerGradient(X.data(), Steps, Got.data());
  hand::lorenzEulerGradient(X.data(), Steps, Want.data());
  checkEntries(Got, Want);
  checkDifferences([=](const double *P) { return lorenzEuler(P, Steps); }, X,
                   Got);
  lorenzRk4Gradient(X.data(), Steps, Got.data());
  hand::lorenzRk4Gradient(X.data(), Steps, Want.data());
  checkEntries(Got, Want);
  checkDifferences([=](const double *P) { return lorenzRk4(P, Steps); }, X,
                   Got);
  return rgReport();
}
