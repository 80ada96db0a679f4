//===- BenchFft.cpp - recursive Fourier transform -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../demo/programs/Fft.h"
#include "Bench.h"
#include "adolc/Adolc.h"
#include "hand/Hand.h"
#include <memory>

static std::vector<bench::Problem> problems() {
  auto F = std::make_shared<programs::FftInput>(programs::makeFft(16384));
  const double *X = F->Signal.data();
  return {{"FFT", "n16384", F->Signal.size(), F->Signal.size(),
           [=] { bench::consume(spectrum(*F, X)); },
           [=](double *Out) { spectrumGradient(*F, X, Out); },
           [=](double *Out) { hand::spectrumGradient(*F, X, Out); },
           [=](double *Out) { withAdolc::spectrumGradient(*F, X, Out); }}};
}

static bench::Registration Fft(7, problems);
