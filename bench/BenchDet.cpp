//===- BenchDet.cpp - determinant by minors -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../demo/programs/Numbers.h"
#include "Bench.h"
#include "adolc/Adolc.h"
#include "hand/Hand.h"
#include "programs/Det.h"
#include <memory>

static std::vector<bench::Problem> problems() {
  const int L = 8;
  auto A = std::make_shared<std::vector<double>>(
      programs::Random(3).uniforms(L * L, -1, 1));
  return {{"DET", "l8", size_t(L) * L, size_t(L) * L,
           [=] { bench::consume(programs::det(L, A->data())); },
           [=](double *Out) { programs::detGradient(L, A->data(), Out); },
           [=](double *Out) { hand::detGradient(L, A->data(), Out); },
           [=](double *Out) { withAdolc::detGradient(L, A->data(), Out); }}};
}

static bench::Registration Det(11, problems);
