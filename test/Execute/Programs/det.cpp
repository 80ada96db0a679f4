//===- det.cpp - determinant by minors -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RG-FLAGS: -std=c++20 -I%root

#include "bench/hand/Det.cpp"
#include "bench/programs/DetGradient.cpp"
#include "bench/programs/DetPrimal.cpp"
#include "demo/programs/Numbers.h"
#include "Inputs/Check.h"

using namespace programs;

int main() {
  const int L = 5;
  const Vector X = Random(3).uniforms(L * L, -1, 1);
  Vector Got(L * L, 1), Want(L * L);
  detGradient(L, X.data(), Got.data());
  hand::detGradient(L, X.data(), Want.data());
  checkEntries(Got, Want);
  checkDifferences([&](const double *P) { return det(L, P); }, X, Got);
  return rgReport();
}
