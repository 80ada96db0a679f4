//===- BenchKMeans.cpp - k-means -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../demo/programs/Numbers.h"
#include "Bench.h"
#include "adolc/Adolc.h"
#include "hand/Hand.h"
#include "programs/KMeans.h"
#include <memory>

static std::vector<bench::Problem> problems() {
  const int N = 10000, K = 10, D = 8;
  auto P = std::make_shared<std::vector<double>>(
      programs::Random(4).uniforms(N * D, -1, 1));
  auto C = std::make_shared<std::vector<double>>(
      programs::Random(5).uniforms(K * D, -1, 1));
  return {
      {"KMEANS", "n10000 k10 d8", size_t(K) * D, size_t(K) * D,
       [=] { bench::consume(programs::kmeans(N, K, D, P->data(), C->data())); },
       [=](double *Out) {
         programs::kmeansGradient(N, K, D, P->data(), C->data(), Out);
       },
       [=](double *Out) {
         hand::kmeansGradient(N, K, D, P->data(), C->data(), Out);
       },
       [=](double *Out) {
         withAdolc::kmeansGradient(N, K, D, P->data(), C->data(), Out);
       }}};
}

static bench::Registration KMeans(12, problems);
