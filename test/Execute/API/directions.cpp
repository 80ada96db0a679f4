// RG-LEVELS: O0 O2 O3
// rg::jvp along several directions at once, and Jacobians of sizes that fill
// strips and leave lanes idle.
#include <retrograd/retrograd.hpp>
#include "rgtest.h"
#include <cmath>

static double product(double x, const std::array<double, 2> &y) { return x * x * y[0] + std::sin(x * y[1]); }
static std::vector<double> spread(const std::vector<double> &x, float w) {
  std::vector<double> r(x.size() + 2);
  for (std::size_t I = 0; I < r.size(); ++I)
    for (std::size_t J = 0; J <= I && J < x.size(); ++J)
      r[I] += std::exp(w * x[J]) * x[(I + J) % x.size()];
  return r;
}
static void into(const double *x, double *out, int n) {
  for (int I = 0; I < n; ++I)
    out[I] = x[I] * x[n - 1 - I];
}

// Every entry of a Jacobian against the product with its column's direction.
template <std::size_t N, std::size_t M> static void everyShape() {
  std::array<double, N> x{};
  for (std::size_t I = 0; I < N; ++I)
    x[I] = 0.3 + 0.2 * double(I);
  auto f = [](const std::array<double, N> &x) {
    std::array<double, M> r{};
    for (std::size_t I = 0; I < M; ++I)
      for (std::size_t J = 0; J < N; ++J)
        r[I] += std::sin(x[J] * double(I + 1)) * x[(I + J) % N];
    return r;
  };
  auto J = rg::jacobian(f)(x);
  for (std::size_t C = 0; C < N; ++C) {
    std::array<double, N> Direction{};
    Direction[C] = 1;
    auto Column = rg::jvp(f)(rg::dup(x, Direction));
    for (std::size_t R = 0; R < M; ++R) {
      RG_NEAR(J[R][C], Column[R]);
      RG_GRAD(J[R][C], f(x)[R], x[C]);
    }
  }
}

int main() {
  double x = 0.75;
  std::array<double, 2> y{1.5, -0.5};
  std::array<double, 3> dx{1, 0, 2};
  std::array<std::array<double, 2>, 3> dy{{{0, 0}, {0, 1}, {1, -1}}};
  std::array<double, 3> t = rg::jvp(product)(rg::directions(x, dx), rg::directions(y, dy));
  for (int L = 0; L < 3; ++L)
    RG_NEAR(t[L], rg::jvp(product)(rg::dup(x, dx[L]), rg::dup(y, dy[L])));
  std::array<double, 3> alone = rg::jvp(product)(rg::directions(x, dx), rg::constant(y));
  RG_GRAD(alone[0], product(x, y), x);
  RG_NEAR(alone[1], 0);

  std::vector<double> v{0.1, 0.4, -0.3};
  std::array<std::vector<double>, 2> dv{{{1, 0, 0}, {0.5, 1, -1}}};
  std::array<float, 2> dw{0, 1};
  auto s = rg::jvp(spread)(rg::directions(v, dv), rg::directions(0.5f, dw));
  for (int L = 0; L < 2; ++L) {
    auto one = rg::jvp(spread)(rg::dup(v, dv[L]), rg::dup(0.5f, dw[L]));
    RG_TRUE(s[L].size() == 5);
    for (int I = 0; I < 5; ++I)
      RG_NEAR(s[L][I], one[I]);
  }

  double in[3] = {1, 2, 3}, din[2][3] = {{1, 0, 0}, {0, 1, 0}}, out[3], dout[2][3] = {};
  rg::jvp(into)(rg::directions(in, std::array<double *, 2>{din[0], din[1]}),
                rg::directions(out, std::array<double *, 2>{dout[0], dout[1]}), 3);
  RG_NEAR(dout[0][0], 3);
  RG_NEAR(dout[0][2], 3);
  RG_NEAR(dout[1][1], 4);
  RG_NEAR(dout[1][0], 0);

  everyShape<1, 3>();
  everyShape<4, 4>();
  everyShape<5, 7>();
  everyShape<3, 1>();
  everyShape<9, 2>();
  everyShape<6, 5>();
  return rgReport();
}
