//===- BenchLstm.cpp - character LSTM -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../demo/programs/Lstm.h"
#include "Bench.h"
#include "adolc/Adolc.h"
#include "hand/Hand.h"
#include <memory>

static bench::Problem problem(int Layers, int Characters) {
  auto L = std::make_shared<programs::LstmInput>(
      programs::makeLstm(Layers, Characters, 14));
  const double *P = L->Parameters.data();
  return {"LSTM",
          "l" + std::to_string(Layers) + " c" + std::to_string(Characters),
          L->numParameters(),
          L->numParameters(),
          [=] { bench::consume(lstm(*L, P)); },
          [=](double *Out) { lstmGradient(*L, P, Out); },
          [=](double *Out) { hand::lstmGradient(*L, P, Out); },
          [=](double *Out) { withAdolc::lstmGradient(*L, P, Out); }};
}

static bench::Registration Lstm(4, [] {
  return std::vector{problem(2, 1024), problem(4, 1024)};
});
