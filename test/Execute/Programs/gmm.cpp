//===- gmm.cpp - a Gaussian mixture -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RG-FLAGS: -std=c++20 -I%root

#include "bench/hand/Gmm.cpp"
#include "demo/programs/GmmGradient.cpp"
#include "demo/programs/GmmPrimal.cpp"
#include "Inputs/Check.h"

using namespace programs;

int main() {
  const GmmInput G = makeGmm(3, 4, 7);
  Vector Got(G.numParameters(), 1), Want(Got);
  gmmGradient(G, G.Parameters.data(), Got.data());
  hand::gmmGradient(G, G.Parameters.data(), Want.data());
  checkEntries(Got, Want);
  checkDifferences([&](const double *P) { return gmm(G, P); }, G.Parameters,
                   Got);
  return rgReport();
}
