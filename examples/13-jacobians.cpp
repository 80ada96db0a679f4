// Many derivatives at once: Jacobians, directions, sparse Jacobians and
// Hessians.
//
// rg::jacobian runs f once for every four columns (or rows).
// rg::sparse_jacobian finds out which results depend on which arguments, and
// computes columns together that have no row in common.

#include <array>
#include <cmath>
#include <cstdio>
#include <retrograd/sparse.hpp>

// One step of diffusion with a reaction: result i depends on its neighbours.
std::vector<double> step(const std::vector<double> &u) {
  const std::size_t n = u.size();
  std::vector<double> r(n);
  for (std::size_t i = 0; i < n; ++i) {
    double left = i > 0 ? u[i - 1] : 0, right = i + 1 < n ? u[i + 1] : 0;
    r[i] = u[i] + 0.1 * (left - 2 * u[i] + right) + u[i] * u[i];
  }
  return r;
}
std::array<double, 2> polar(const std::array<double, 2> &p) {
  return {p[0] * std::cos(p[1]), p[0] * std::sin(p[1])};
}

int main() {
  std::array<double, 2> p{2, 0};
  auto J = rg::jacobian(polar)(p);
  std::printf("dense: %g %g %g %g\n", J[0][0], J[0][1], J[1][0], J[1][1]);

  // Two directions, one evaluation.
  std::array<std::array<double, 2>, 2> directions{{{1, 0}, {1, 1}}};
  auto t = rg::jvp(polar)(rg::directions(p, directions));
  std::printf("directions: %g %g and %g %g\n", t[0][0], t[0][1], t[1][0],
              t[1][1]);

  std::vector<double> u(1000, 0.5);
  rg::JacobianPlan plan(rg::jacobian_pattern(step)(u));
  auto S = rg::sparse_jacobian(step)(plan, u);
  std::printf("sparse: %zu of %zu entries, %zu colours, row 1: %g %g %g\n",
              S.nonzeros(), S.rows * S.columns, plan.coloring.colours, S(1, 0),
              S(1, 1), S(1, 2));

  auto energy = [](const std::array<double, 4> &x) {
    return x[0] * x[1] * x[1] + std::sin(x[2]) * x[3];
  };
  auto H = rg::sparse_hessian(energy)(std::array<double, 4>{1, 2, 0, 3});
  std::printf("Hessian: %g %g %g\n", H(0, 1), H(1, 1), H(2, 3));
}

// RUN: %rgcxx -O2 %s -o %t && %t | FileCheck %s --check-prefix=prints
// RUN: %rgcxx -O0 %s -o %t && %t | FileCheck %s --check-prefix=prints
// prints: dense: 1 {{-?}}0 0 2
// prints: directions: 1 0 and 1 2
// prints: sparse: 2998 of 1000000 entries, 3 colours, row 1: 0.1 1.8 0.1
// prints: Hessian: 4 2 1
