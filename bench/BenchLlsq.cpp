//===- BenchLlsq.cpp - linear least squares -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../demo/programs/Numbers.h"
#include "Bench.h"
#include "adolc/Adolc.h"
#include "hand/Hand.h"
#include "programs/Llsq.h"
#include <memory>

static std::vector<bench::Problem> problems() {
  const int M = 32, N = 10000;
  auto X = std::make_shared<std::vector<double>>(
      programs::Random(2).uniforms(M, -1, 1));
  return {
      {"LLSQ", "m32 n10000", size_t(M), size_t(M),
       [=] { bench::consume(programs::llsq(M, N, X->data())); },
       [=](double *Out) { programs::llsqGradient(M, N, X->data(), Out); },
       [=](double *Out) { hand::llsqGradient(M, N, X->data(), Out); },
       [=](double *Out) { withAdolc::llsqGradient(M, N, X->data(), Out); }}};
}

static bench::Registration Llsq(10, problems);
