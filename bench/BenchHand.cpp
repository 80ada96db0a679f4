//===- BenchHand.cpp - hand tracking -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../demo/programs/Hand.h"
#include "Bench.h"
#include "hand/Hand.h"
#include <memory>

static bench::Problem problem(bool Complicated) {
  auto H = std::make_shared<programs::HandInput>(
      programs::makeHand(544, 100, Complicated));
  auto Residuals = std::make_shared<std::vector<double>>(H->numRows());
  const double *P = H->Parameters.data();
  return {"HAND Jacobian",
          Complicated ? "complicated" : "simple",
          H->Parameters.size(),
          size_t(H->numRows()) * H->numColumns(),
          [=] { programs::hand(*H, P, Residuals->data()); },
          [=](double *Out) { programs::handJacobian(*H, P, Out); },
          [=](double *Out) { hand::handJacobian(*H, P, Out); },
          {}};
}

static bench::Registration Hand(3, [] {
  return std::vector{problem(false), problem(true)};
});
