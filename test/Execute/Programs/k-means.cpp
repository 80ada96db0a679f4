//===- k-means.cpp - k-means cost -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// RG-FLAGS: -std=c++20 -I%root

#include "bench/hand/KMeans.cpp"
#include "bench/programs/KMeansGradient.cpp"
#include "bench/programs/KMeansPrimal.cpp"
#include "demo/programs/Numbers.h"
#include "Inputs/Check.h"

using namespace programs;

int main() {
  const int N = 50, K = 4, D = 3;
  const Vector Points = Random(4).uniforms(N * D, -1, 1);
  const Vector X = Random(5).uniforms(K * D, -1, 1);
  Vector Got(K * D, 1), Want(K * D);
  kmeansGradient(N, K, D, Points.data(), X.data(), Got.data());
  hand::kmeansGradient(N, K, D, Points.data(), X.data(), Want.data());
  checkEntries(Got, Want);
  checkDifferences(
      [&](const double *P) { return kmeans(N, K, D, Points.data(), P); }, X,
      Got);
  return rgReport();
}
