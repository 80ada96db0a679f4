//===- Odeint.h - sensitivities of Boost.Odeint trajectories -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Boost.Odeint integrates ordinary differential equations. Its steppers are
// used as packaged: templates over state type, algebra and operations, with
// heap-allocated temporaries for states that can be resized. Nobody wrote them
// with derivatives in mind.
//
//   Lorenz          std::array state, integrate_const (the number of steps
//   comes
//                   out of a comparison of times); F = |x(T)|^2 / 2
//   Lotka-Volterra  std::vector state, integrate_n_steps with an observer that
//                   sums along the way; F = average of prey^2 + predator(T)
//
// Inputs are the parameters of the equation followed by the initial state. The
// Euler and the fourth-order Runge-Kutta stepper each run both.
//
//===----------------------------------------------------------------------===//

#ifndef PROGRAMS_ODEINT_H
#define PROGRAMS_ODEINT_H

#include <array>
#include <boost/numeric/odeint.hpp>
#include <vector>

namespace programs {

namespace odeint = boost::numeric::odeint;

using LorenzState = std::array<double, 3>;
constexpr int LorenzInputs = 6; ///< sigma, rho, beta, x, y, z

template <typename Stepper>
double lorenzFunctional(const double *Inputs, double Step, int Steps) {
  const double Sigma = Inputs[0], Rho = Inputs[1], Beta = Inputs[2];
  LorenzState X = {Inputs[3], Inputs[4], Inputs[5]};
  auto System = [=](const LorenzState &X, LorenzState &DxDt, double) {
    DxDt[0] = Sigma * (X[1] - X[0]);
    DxDt[1] = Rho * X[0] - X[1] - X[0] * X[2];
    DxDt[2] = X[0] * X[1] - Beta * X[2];
  };
  odeint::integrate_const(Stepper(), System, X, 0.0, Step * Steps, Step);
  return 0.5 * (X[0] * X[0] + X[1] * X[1] + X[2] * X[2]);
}

using LotkaVolterraState = std::vector<double>;
constexpr int LotkaVolterraInputs = 6; ///< a, b, c, d, prey, predator

template <typename Stepper>
double lotkaVolterraFunctional(const double *Inputs, double Step, int Steps) {
  const double A = Inputs[0], B = Inputs[1], C = Inputs[2], D = Inputs[3];
  LotkaVolterraState X = {Inputs[4], Inputs[5]};
  auto System = [=](const LotkaVolterraState &X, LotkaVolterraState &DxDt,
                    double) {
    DxDt[0] = A * X[0] - B * X[0] * X[1];
    DxDt[1] = D * X[0] * X[1] - C * X[1];
  };
  double Sum = 0;
  auto Observer = [&Sum](const LotkaVolterraState &X, double) {
    Sum += X[0] * X[0];
  };
  odeint::integrate_n_steps(Stepper(), System, X, 0.0, Step, Steps, Observer);
  return Sum / (Steps + 1) + X[1];
}

constexpr double LorenzStep = 0.001;
constexpr double LotkaVolterraStep = 0.005;

double lorenzEuler(const double *Inputs, int Steps);
double lorenzRk4(const double *Inputs, int Steps);
double lotkaVolterraEuler(const double *Inputs, int Steps);
double lotkaVolterraRk4(const double *Inputs, int Steps);
/// Their gradients with respect to all six inputs, by Retrograd.
void lorenzEulerGradient(const double *Inputs, int Steps, double *Gradient);
void lorenzRk4Gradient(const double *Inputs, int Steps, double *Gradient);
void lotkaVolterraEulerGradient(const double *Inputs, int Steps,
                                double *Gradient);
void lotkaVolterraRk4Gradient(const double *Inputs, int Steps,
                              double *Gradient);

} // namespace programs

#endif
