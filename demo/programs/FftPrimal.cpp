//===- FftPrimal.cpp - the functional, instantiated for double -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fft.h"

double programs::spectrum(const FftInput &F, const double *Signal) {
  return spectrumFunctional(F.N, Signal, F.Roots.data(), F.Weights.data());
}
