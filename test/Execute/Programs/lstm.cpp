//===- lstm.cpp - a character LSTM -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RG-FLAGS: -std=c++20 -I%root

#include "bench/hand/Lstm.cpp"
#include "demo/programs/LstmGradient.cpp"
#include "demo/programs/LstmPrimal.cpp"
#include "Inputs/Check.h"

using namespace programs;

int main() {
  const LstmInput L = makeLstm(2, 6, 3);
  Vector Got(L.numParameters(), 1), Want(Got);
  lstmGradient(L, L.Parameters.data(), Got.data());
  hand::lstmGradient(L, L.Parameters.data(), Want.data());
  checkEntries(Got, Want);
  checkDifferences([&](const double *P) { return lstm(L, P); }, L.Parameters,
                   Got);
  return rgReport();
}
