//===- BenchLse.cpp - log-sum-exp -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../demo/programs/Numbers.h"
#include "Bench.h"
#include "adolc/Adolc.h"
#include "hand/Hand.h"
#include "programs/Lse.h"
#include <memory>

static std::vector<bench::Problem> problems() {
  const int N = 1000000;
  auto X = std::make_shared<std::vector<double>>(
      programs::Random(1).uniforms(N, -5, 5));
  return {{"LSE", "n1000000", size_t(N), size_t(N),
           [=] { bench::consume(programs::lse(N, X->data())); },
           [=](double *Out) { programs::lseGradient(N, X->data(), Out); },
           [=](double *Out) { hand::lseGradient(N, X->data(), Out); },
           [=](double *Out) { withAdolc::lseGradient(N, X->data(), Out); }}};
}

static bench::Registration Lse(9, problems);
