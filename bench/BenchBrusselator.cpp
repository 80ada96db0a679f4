//===- BenchBrusselator.cpp - reaction-diffusion simulation -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../demo/programs/Brusselator.h"
#include "Bench.h"
#include "adolc/Adolc.h"
#include "hand/Hand.h"
#include <memory>

static std::vector<bench::Problem> problems() {
  auto B = std::make_shared<programs::BrusselatorInput>(
      programs::makeBrusselator(32, 100));
  const double *P = B->Parameters.data();
  return {{"Brusselator", "32x32 s100", B->numParameters(), B->numParameters(),
           [=] { bench::consume(brusselator(*B, P)); },
           [=](double *Out) { brusselatorGradient(*B, P, Out); },
           [=](double *Out) { hand::brusselatorGradient(*B, P, Out); },
           [=](double *Out) { withAdolc::brusselatorGradient(*B, P, Out); }}};
}

static bench::Registration Brusselator(8, problems);
