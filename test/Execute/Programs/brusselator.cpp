//===- brusselator.cpp - a reaction-diffusion simulation -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RG-FLAGS: -std=c++20 -I%root

#include "bench/hand/Brusselator.cpp"
#include "demo/programs/BrusselatorGradient.cpp"
#include "demo/programs/BrusselatorPrimal.cpp"
#include "Inputs/Check.h"

using namespace programs;

int main() {
  const BrusselatorInput B = makeBrusselator(5, 4);
  Vector Got(B.numParameters(), 1), Want(Got);
  brusselatorGradient(B, B.Parameters.data(), Got.data());
  hand::brusselatorGradient(B, B.Parameters.data(), Want.data());
  checkEntries(Got, Want);
  checkDifferences([&](const double *P) { return brusselator(B, P); },
                   B.Parameters, Got);
  return rgReport();
}
