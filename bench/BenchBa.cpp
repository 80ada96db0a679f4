//===- BenchBa.cpp - bundle adjustment -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../demo/programs/Ba.h"
#include "Bench.h"
#include "adolc/Adolc.h"
#include "hand/Hand.h"
#include <memory>

static std::vector<bench::Problem> problems() {
  auto B =
      std::make_shared<programs::BaInput>(programs::makeBa(49, 7776, 31843));
  const double *P = B->Parameters.data();
  const size_t Count = B->NumObservations;
  auto Outputs = std::make_shared<std::vector<double>>(3 * Count);
  return {{"BA Jacobian",
           "n49 p31843",
           B->numParameters(),
           (2 * programs::BaBlock + 1) * Count,
           [=] { ba(*B, P, Outputs->data()); },
           [=](double *Out) { baJacobian(*B, P, Out); },
           [=](double *Out) { hand::baJacobian(*B, P, Out); },
           {}},
          {"BA cost", "n49 p31843", B->numParameters(), B->numParameters(),
           [=] { bench::consume(baCost(*B, P)); },
           [=](double *Out) { baCostGradient(*B, P, Out); },
           [=](double *Out) { hand::baCostGradient(*B, P, Out); },
           [=](double *Out) { withAdolc::baCostGradient(*B, P, Out); }}};
}

static bench::Registration Ba(2, problems);
