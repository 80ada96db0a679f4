//===- BenchHand.cpp - hand tracking -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../demo/programs/Hand.h"
#include "Bench.h"
#include "hand/Hand.h"
#include <memory>

/// A hand of ADBench's proportions: 22 bones in its tree, 544 vertices, each on
/// up to four bones, 100 measurements.
static programs::HandInput makeHand(bool Complicated) {
  programs::Random R(5);
  programs::HandInput H;
  programs::HandModel &M = H.Model;
  const int Bones = 22, Vertices = 544, Measurements = 100;
  for (int B = 0; B < Bones; ++B) {
    M.Parent.push_back(B == 0 ? -1 : B == 21 || B % 4 == 1 ? 0 : B - 1);
    for (int I = 0; I < 12; ++I) {
      double Diagonal = I % 5 == 0 ? 1 : 0;
      M.Base.push_back(Diagonal + R.uniform(-0.2, 0.2));
      M.Inverse.push_back(Diagonal + R.uniform(-0.2, 0.2));
    }
  }
  M.WeightStart.push_back(0);
  for (int V = 0; V < Vertices; ++V) {
    for (int I = 0; I < 3; ++I)
      M.Position.push_back(R.uniform(-1, 1));
    const int Count = 1 + V % 4;
    for (int W = 0; W < Count; ++W) {
      M.WeightBone.push_back((V + 7 * W) % Bones);
      M.Weight.push_back(1.0 / Count);
    }
    M.WeightStart.push_back(int(M.Weight.size()));
    for (int Corner : {V, V + 1, V + 17})
      M.Triangle.push_back(Corner % Vertices);
  }
  H.Complicated = Complicated;
  for (int I = 0; I < Measurements; ++I)
    H.Correspondence.push_back(int(R.uniform() * Vertices));
  H.Measured = R.uniforms(3 * Measurements, -2, 2);
  H.Parameters = R.uniforms(
      programs::HandPose + (Complicated ? 2 * Measurements : 0), 0.1, 0.4);
  return H;
}

static bench::Problem problem(bool Complicated) {
  auto H = std::make_shared<programs::HandInput>(makeHand(Complicated));
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
