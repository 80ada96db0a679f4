//===- llsq.cpp - linear least squares -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RG-FLAGS: -std=c++20 -I%root

#include "bench/hand/Llsq.cpp"
#include "bench/programs/LlsqGradient.cpp"
#include "bench/programs/LlsqPrimal.cpp"
#include "demo/programs/Numbers.h"
#include "Inputs/Check.h"

using namespace programs;

int main() {
  const int M = 5, N = 23;
  const Vector X = Random(2).uniforms(M, -1, 1);
  Vector Got(M, 1), Want(M);
  llsqGradient(M, N, X.data(), Got.data());
  hand::llsqGradient(M, N, X.data(), Want.data());
  checkEntries(Got, Want);
  checkDifferences([&](const double *P) { return llsq(M, N, P); }, X, Got);
  return rgReport();
}
