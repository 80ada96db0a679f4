//===- Fft.cpp - spectrum functional, by hand -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The transform is linear, so its adjoint is a transform too: the conjugate of
// the transform of the conjugate.
//
//===----------------------------------------------------------------------===//

#include "../../demo/programs/Fft.h"
#include "Hand.h"

void hand::spectrumGradient(const programs::FftInput &F, const double *X,
                            double *DX) {
  std::vector<double> Spectrum(size_t(2) * F.N);
  programs::fft(F.N, 1, X, Spectrum.data(), F.Roots.data());
  for (int K = 0; K < F.N; ++K) {
    double &Re = Spectrum[2 * K], &Im = Spectrum[2 * K + 1];
    const double Scale = 2 * F.Weights[K] / (1 + Re * Re + Im * Im);
    Re *= Scale;
    Im *= -Scale;
  }
  programs::fft(F.N, 1, Spectrum.data(), DX, F.Roots.data());
  for (int K = 0; K < F.N; ++K)
    DX[2 * K + 1] = -DX[2 * K + 1];
}
