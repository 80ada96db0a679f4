//===- BenchLotkaVolterra.cpp - Lotka-Volterra by Boost.Odeint -*- C++ -*-===//
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
      std::vector<double>{1.1, 0.4, 0.4, 0.1, 10, 5});
  const int Steps = 2000;
  return {
      {"Odeint euler",
       "Lotka-Volterra",
       6,
       6,
       [=] { bench::consume(programs::lotkaVolterraEuler(X->data(), Steps)); },
       [=](double *Out) {
         programs::lotkaVolterraEulerGradient(X->data(), Steps, Out);
       },
       [=](double *Out) {
         hand::lotkaVolterraEulerGradient(X->data(), Steps, Out);
       },
       {}},
      {"Odeint rk4",
       "Lotka-Volterra",
       6,
       6,
       [=] { bench::consume(programs::lotkaVolterraRk4(X->data(), Steps)); },
       [=](double *Out) {
         programs::lotkaVolterraRk4Gradient(X->data(), Steps, Out);
       },
       [=](double *Out) {
         hand::lotkaVolterraRk4Gradient(X->data(), Steps, Out);
       },
       {}}};
}

static bench::Registration LotkaVolterra(6, problems);
