//===- fft.cpp - a recursive Fourier transform -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RG-FLAGS: -std=c++20 -I%root

#include "bench/hand/Fft.cpp"
#include "demo/programs/FftGradient.cpp"
#include "demo/programs/FftPrimal.cpp"
#include "Inputs/Check.h"

using namespace programs;

int main() {
  const FftInput F = makeFft(32);
  Vector Got(F.Signal.size(), 1), Want(Got);
  spectrumGradient(F, F.Signal.data(), Got.data());
  hand::spectrumGradient(F, F.Signal.data(), Want.data());
  checkEntries(Got, Want);
  checkDifferences([&](const double *X) { return spectrum(F, X); }, F.Signal,
                   Got);
  return rgReport();
}
