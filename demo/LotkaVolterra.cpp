//===- LotkaVolterra.cpp - demo: Lotka-Volterra trajectories by Boost.Odeint -*-
// C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Demo.h"
#include "programs/Odeint.h"

using namespace programs;

static const demo::Vector Inputs = {1.1, 0.4, 0.4, 0.1, 10, 5};

static bool run(const demo::Folders &Folders, const char *Stepper,
                double (*Primal)(const double *, int),
                void (*Derivative)(const double *, int, double *)) {
  demo::Row Row(std::string("Odeint ") + Stepper + ", Lotka-Volterra");
  // The reference was made with this number of steps.
  const int Steps = 2000;
  demo::Reference Ref(Folders.Own + "/lotka_volterra_" + Stepper + ".ref.txt");
  demo::Vector Gradient(Inputs.size());
  Derivative(Inputs.data(), Steps, Gradient.data());
  Row.checkValue({Primal(Inputs.data(), Steps)}, Ref["objective"]);
  Row.checkDerivative(Gradient, Ref["gradient"]);
  Row.usedReference();
  Row.checkGradient([&](const double *X) { return Primal(X, Steps); }, Inputs,
                    Gradient);
  Row.measure([&] { Primal(Inputs.data(), Steps); },
              [&] { Derivative(Inputs.data(), Steps, Gradient.data()); });
  return Row.print(Inputs.size());
}

int main(int Argc, char **Argv) {
  demo::Folders Folders(Argc, Argv);
  bool Euler =
      run(Folders, "euler", lotkaVolterraEuler, lotkaVolterraEulerGradient);
  bool Rk4 = run(Folders, "rk4", lotkaVolterraRk4, lotkaVolterraRk4Gradient);
  return !(Euler && Rk4);
}
