//===- ba.cpp - bundle adjustment, with and without rotation -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RG-FLAGS: -std=c++20 -I%root

#include "bench/hand/Ba.cpp"
#include "demo/programs/BaGradient.cpp"
#include "demo/programs/BaPrimal.cpp"
#include "Inputs/Check.h"

using namespace programs;

int main() {
  BaInput B = makeBa(2, 3, 5);
  for (bool Rotated : {true, false}) {
    if (!Rotated)
      for (int Camera = 0; Camera < 2; ++Camera)
        for (int I = 0; I < 3; ++I)
          B.Parameters[BaCamera * Camera + I] = 0;
    const double *P = B.Parameters.data();
    Vector Got((2 * BaBlock + 1) * B.NumObservations, 1), Want(Got);
    baJacobian(B, P, Got.data());
    hand::baJacobian(B, P, Want.data());
    checkEntries(Got, Want);

    Vector Gradient(B.numParameters(), 1), Hand(Gradient);
    baCostGradient(B, P, Gradient.data());
    hand::baCostGradient(B, P, Hand.data());
    checkEntries(Gradient, Hand);
    // Away from zero rotation the function is not that of the other branch.
    if (Rotated)
      checkDifferences([&](const double *X) { return baCost(B, X); },
                       B.Parameters, Gradient);
  }
  return rgReport();
}
