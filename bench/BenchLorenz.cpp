//===- BenchLorenz.cpp - Lorenz by Boost.Odeint -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../demo/programs/Odeint.h"
#include "Bench.h"
#include "hand/Hand.h"
#include <memory>

static std::vector<bench::Problem> problems() {
  auto X = std::make_shared<std::vector<double>>(
      std::vector<double>{10, 28, 8.0 / 3, 1.5, 1.2, 20});
  const int Steps = 2000;
  return {
      {"Odeint euler",
       "Lorenz",
       6,
       6,
       [=] { bench::consume(programs::lorenzEuler(X->data(), Steps)); },
       [=](double *Out) {
         programs::lorenzEulerGradient(X->data(), Steps, Out);
       },
       [=](double *Out) { hand::lorenzEulerGradient(X->data(), Steps, Out); },
       {}},
      {"Odeint rk4",
       "Lorenz",
       6,
       6,
       [=] { bench::consume(programs::lorenzRk4(X->data(), Steps)); },
       [=](double *Out) { programs::lorenzRk4Gradient(X->data(), Steps, Out); },
       [=](double *Out) { hand::lorenzRk4Gradient(X->data(), Steps, Out); },
       {}}};
}

static bench::Registration Lorenz(5, problems);
