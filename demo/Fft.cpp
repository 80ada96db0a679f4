//===- Fft.cpp - demo: a recursive Fourier transform -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "programs/Fft.h"
#include "Demo.h"

using namespace programs;

int main(int Argc, char **Argv) {
  demo::Folders Folders(Argc, Argv);
  demo::Row Row("recursive FFT");

  const FftInput Small = makeFft(64);
  demo::Vector Gradient(Small.Signal.size());
  demo::Reference Ref(Folders.Own + "/fft.ref.txt");
  spectrumGradient(Small, Small.Signal.data(), Gradient.data());
  Row.checkValue({spectrum(Small, Small.Signal.data())}, Ref["objective"]);
  Row.checkDerivative(Gradient, Ref["gradient"]);
  Row.usedReference();

  const FftInput F = makeFft(16384);
  Gradient.assign(F.Signal.size(), 0);
  spectrumGradient(F, F.Signal.data(), Gradient.data());
  Row.checkGradient([&](const double *X) { return spectrum(F, X); }, F.Signal,
                    Gradient);
  Row.measure([&] { spectrum(F, F.Signal.data()); },
              [&] { spectrumGradient(F, F.Signal.data(), Gradient.data()); });
  return !Row.print(F.Signal.size());
}
