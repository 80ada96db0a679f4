//===- Brusselator.cpp - demo: a reaction-diffusion simulation -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "programs/Brusselator.h"
#include "Demo.h"

using namespace programs;

int main(int Argc, char **Argv) {
  demo::Folders Folders(Argc, Argv);
  demo::Row Row("Brusselator 2-D, RK4");

  const BrusselatorInput Small = makeBrusselator(6, 10);
  demo::Vector Gradient(Small.numParameters());
  demo::Reference Ref(Folders.Own + "/brusselator.ref.txt");
  brusselatorGradient(Small, Small.Parameters.data(), Gradient.data());
  Row.checkValue({brusselator(Small, Small.Parameters.data())},
                 Ref["objective"]);
  Row.checkDerivative(Gradient, Ref["gradient"]);
  Row.usedReference();

  const BrusselatorInput B = makeBrusselator(32, 100);
  Gradient.assign(B.numParameters(), 0);
  brusselatorGradient(B, B.Parameters.data(), Gradient.data());
  Row.checkGradient([&](const double *P) { return brusselator(B, P); },
                    B.Parameters, Gradient);
  Row.measure(
      [&] { brusselator(B, B.Parameters.data()); },
      [&] { brusselatorGradient(B, B.Parameters.data(), Gradient.data()); });
  return !Row.print(B.numParameters());
}
