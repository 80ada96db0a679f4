// RG-LEVELS: O0 O2 O3
// Sparse Jacobians: the pattern that is found, and the values, against the dense
// Jacobian and by hand.
#include <retrograd/sparse.hpp>
#include "rgtest.h"
#include <cmath>

using Numbers = std::vector<double>;

// A stencil, with a loop, a callee and memory of its own.
__attribute__((noinline)) static double flux(const double *u) { return u[0] * u[1] + std::sin(u[1]); }
static Numbers stencil(const Numbers &u) {
  const std::size_t N = u.size();
  Numbers padded(N + 2), r(N);
  for (std::size_t I = 0; I < N; ++I)
    padded[I + 1] = u[I];
  for (std::size_t I = 0; I < N; ++I)
    r[I] = flux(&padded[I + 1]) - flux(&padded[I]) + padded[I + 1] * padded[I + 1];
  return r;
}
// One row depends on everything: fewer colours by rows.
static Numbers arrow(const Numbers &x) {
  Numbers r(x.size());
  for (std::size_t I = 0; I < x.size(); ++I) {
    r[I] = x[I] * x[I];
    r[0] += x[I] * (I + 1);
  }
  return r;
}
// Each result depends on what was chosen, and not on what decided.
static std::array<double, 3> chosen(const std::array<double, 3> &x, int Which) {
  std::array<double, 3> r{};
  r[0] = x[0] > 1 ? x[1] : x[2] * x[2];
  r[1] = x[Which] * 0.0;
  r[2] = std::fabs(x[2]) + std::floor(x[1]) - std::fmax(x[0], x[1]);
  return r;
}
// Floats, doubles, and halves in between.
static Numbers mixed(const Numbers &x) {
  Numbers r(x.size());
  for (std::size_t I = 0; I < x.size(); ++I) {
    float f = float(x[I]);
    _Float16 h = (_Float16)x[(I + 1) % x.size()];
    long double l = f * 2.0L;
    r[I] = double(l) * f + double((float)h);
  }
  return r;
}

template <class F, class X> static void compare(F f, const X &x) {
  auto Sparse = rg::sparse_jacobian(f)(x);
  auto Dense = rg::jacobian(f)(x);
  RG_TRUE(Sparse.rows == Dense.size() && Sparse.columns == x.size());
  for (std::size_t I = 0; I < Sparse.rows; ++I)
    for (std::size_t J = 0; J < Sparse.columns; ++J) {
      RG_NEAR(Sparse(I, J), Dense[I][J]);
      RG_TRUE(Sparse.contains(I, J) || Dense[I][J] == 0);
    }
}

int main() {
  Numbers u(150);
  for (std::size_t I = 0; I < u.size(); ++I)
    u[I] = 0.1 + std::cos(double(I));
  compare([](const Numbers &x) { return stencil(x); }, u);
  compare([](const Numbers &x) { return arrow(x); }, Numbers(u.begin(), u.begin() + 9));
  compare([](const Numbers &x) { return mixed(x); }, Numbers(u.begin(), u.begin() + 6));

  rg::Pattern Band = rg::jacobian_pattern(stencil)(u);
  RG_TRUE(Band.rows == 150 && Band.columns == 150);
  for (std::size_t I = 0; I < 150; ++I)
    for (std::size_t J = 0; J < 150; ++J)
      RG_TRUE(Band.contains(I, J) == (J + 1 == I || J == I || J == I + 1));
  rg::JacobianPlan Plan(Band);
  RG_TRUE(Plan.coloring.colours == 3);
  // A plan is used at other points.
  Numbers v = u;
  for (double &Each : v)
    Each *= 0.75;
  auto J = rg::sparse_jacobian(stencil)(Plan, v);
  auto Dense = rg::jacobian(stencil)(v);
  for (std::size_t I = 0; I < 150; ++I)
    for (std::size_t K = J.start[I]; K < J.start[I + 1]; ++K)
      RG_NEAR(J.value[K], Dense[I][J.column[K]]);

  rg::JacobianPlan Arrow(rg::jacobian_pattern(arrow)(Numbers(9, 1.0)));
  RG_TRUE(Arrow.byRows && Arrow.coloring.colours == 2);
  RG_TRUE(Arrow.pattern.nonzeros() == 9 + 8);
  auto A = rg::sparse_jacobian(arrow)(Arrow, Numbers(9, 2.0));
  RG_NEAR(A(0, 0), 5);
  RG_NEAR(A(0, 8), 9);
  RG_NEAR(A(8, 8), 4);

  std::array<double, 3> x{2, 3, -0.5};
  auto P = rg::jacobian_pattern(chosen)(x, rg::constant(1));
  RG_TRUE(P.contains(0, 1) && !P.contains(0, 0) && !P.contains(0, 2));
  RG_TRUE(P.contains(1, 1) && !P.contains(1, 0) && !P.contains(1, 2)); // zero by value only
  RG_TRUE(P.contains(2, 2) && P.contains(2, 0) && P.contains(2, 1));
  x[0] = 0.5;
  auto Q = rg::jacobian_pattern(chosen)(x, rg::constant(1));
  RG_TRUE(Q.contains(0, 2) && !Q.contains(0, 1));
  RG_TRUE(P.united(Q).contains(0, 1) && P.united(Q).contains(0, 2));
  rg::JacobianPlan Both(P.united(Q));
  auto C = rg::sparse_jacobian(chosen)(Both, x, rg::constant(2));
  RG_NEAR(C(0, 2), -1);
  RG_NEAR(C(0, 1), 0);

  // By reference, in a struct of constants, floats.
  struct { double scale; } Settings{3};
  auto scaled = [](const std::array<float, 4> &x, const decltype(Settings) &s) {
    return std::array<float, 2>{float(x[0] * x[3] * s.scale), x[1] * x[1]};
  };
  std::array<float, 4> y{1, 2, 3, 4};
  auto S = rg::sparse_jacobian(scaled)(y, rg::constant(Settings));
  RG_TRUE(S.nonzeros() == 3);
  RG_NEARF(S(0, 0), 12);
  RG_NEARF(S(0, 3), 3);
  RG_NEARF(S(1, 1), 4);
  return rgReport();
}
