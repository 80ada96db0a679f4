//===- lse.cpp - log-sum-exp -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RG-FLAGS: -std=c++20 -I%root

#include "bench/hand/Lse.cpp"
#include "bench/programs/LseGradient.cpp"
#include "bench/programs/LsePrimal.cpp"
#include "demo/programs/Numbers.h"
#include "Inputs/Check.h"

using namespace programs;

int main() {
  const int N = 37;
  const Vector X = Random(1).uniforms(N, -3, 3);
  Vector Got(N, 1), Want(N);
  lseGradient(N, X.data(), Got.data());
  hand::lseGradient(N, X.data(), Want.data());
  checkEntries(Got, Want);
  checkDifferences([&](const double *P) { return lse(N, P); }, X, Got);
  return rgReport();
}
