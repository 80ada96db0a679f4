//===- BenchOde.cpp - fixed-step Runge-Kutta -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../demo/programs/Numbers.h"
#include "Bench.h"
#include "adolc/Adolc.h"
#include "hand/Hand.h"
#include "programs/Ode.h"
#include <memory>

static std::vector<bench::Problem> problems() {
  const int N = 10, Steps = 100000;
  auto X = std::make_shared<std::vector<double>>(
      programs::Random(6).uniforms(N, 0.5, 1.5));
  return {
      {"ODE", "n10 s100000", size_t(N), size_t(N),
       [=] { bench::consume(programs::ode(N, Steps, X->data())); },
       [=](double *Out) { programs::odeGradient(N, Steps, X->data(), Out); },
       [=](double *Out) { hand::odeGradient(N, Steps, X->data(), Out); },
       [=](double *Out) { withAdolc::odeGradient(N, Steps, X->data(), Out); }}};
}

static bench::Registration Ode(13, problems);
