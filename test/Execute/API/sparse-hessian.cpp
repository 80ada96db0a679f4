// RG-LEVELS: O0 O2 O3
// Sparse Hessians by star colouring, of functions given as objects: values
// against differences of the gradient, patterns by hand.
#include <retrograd/sparse.hpp>
#include "rgtest.h"
#include <cmath>

template <class F, class X> static void compare(F f, X x, std::size_t Entries, std::size_t Colours) {
  const auto H = rg::sparse_hessian(f)(x);
  RG_TRUE(H.nonzeros() == Entries);
  rg::HessianPlan Plan(rg::hessian_pattern(f)(x));
  RG_TRUE(Plan.coloring.colours == Colours);
  RG_TRUE(Plan.pattern == H);
  for (auto &Each : x)
    Each += 0.125;
  const auto Again = rg::sparse_hessian(f)(Plan, x);
  for (std::size_t J = 0; J < x.size(); ++J) {
    // One central difference of the gradient per column.
    const double Old = x[J], Step = 1e-5;
    x[J] = Old + Step;
    auto Up = rg::gradient(f)(x);
    x[J] = Old - Step;
    auto Down = rg::gradient(f)(x);
    x[J] = Old;
    for (std::size_t I = 0; I < x.size(); ++I) {
      RG_WITHIN(Again(I, J), (Up[I] - Down[I]) / (2 * Step), 1e-6);
      RG_TRUE(Again(I, J) == Again(J, I));
    }
  }
}

int main() {
  using Eight = std::array<double, 8>;
  const Eight x{0.1, 0.4, -0.3, 0.8, 1.1, -0.7, 0.2, 0.5};
  // A chain: tridiagonal, three colours.
  compare([](const Eight &x) {
    double s = 0;
    for (int I = 0; I + 1 < 8; ++I)
      s += x[I] * x[I] * std::sin(x[I + 1]);
    return s;
  }, x, 8 + 2 * 7, 3);
  // An arrow: two colours do, by symmetry, where columns alone would need eight.
  compare([](const Eight &x) {
    double s = 0;
    for (int I = 1; I < 8; ++I)
      s += x[0] * x[I] * x[I] + std::exp(x[I]);
    return s;
  }, x, 8 + 2 * 7, 2);
  // Separable: one colour. The last argument is linear, and the diagonal is there.
  compare([](const Eight &x) {
    double s = 3 * x[7];
    for (int I = 0; I < 7; ++I)
      s += x[I] * x[I] * x[I];
    return s;
  }, x, 8, 1);
  // With a constant.
  auto weighed = [](const std::array<double, 3> &x, double w) { return w * x[0] * x[2] + x[1] * x[1]; };
  auto H = rg::sparse_hessian(weighed)(std::array<double, 3>{1, 2, 3}, rg::constant(5.0));
  RG_NEAR(H(0, 2), 5);
  RG_NEAR(H(2, 0), 5);
  RG_NEAR(H(1, 1), 2);
  RG_TRUE(!H.contains(0, 1));
  return rgReport();
}
