//===- FftGradient.cpp - reverse gradient through the recursion -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AutoDiff.h"
#include "Fft.h"
#include <algorithm>

void programs::spectrumGradient(const FftInput &F, const double *Signal,
                                double *Gradient) {
  std::fill_n(Gradient, 2 * F.N, 0.0);
  __enzyme_autodiff<void>((void *)spectrumFunctional<double>, enzyme_const, F.N,
                          enzyme_dup, Signal, Gradient, enzyme_const,
                          F.Roots.data(), enzyme_const, F.Weights.data());
}
