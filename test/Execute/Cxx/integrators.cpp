// Integrators as templates over system and state: Euler, midpoint and RK4 on
// arrays and vectors; an adaptive step that depends on active data.
#include "rgtest.h"
#include <array>
#include <cmath>
#include <vector>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
using State = std::array<double, 3>;

struct Lorenz {
  double Sigma, Rho, Beta;
  void operator()(const State &x, State &dx) const {
    dx[0] = Sigma * (x[1] - x[0]);
    dx[1] = x[0] * (Rho - x[2]) - x[1];
    dx[2] = x[0] * x[1] - Beta * x[2];
  }
};
template <typename S> static void rk4(const S &system, State &x, double h) {
  State k[4], t = x;
  const double at[] = {0.5, 0.5, 1.0};
  for (int s = 0; s < 4; ++s) {
    system(t, k[s]);
    if (s < 3)
      for (int i = 0; i < 3; ++i)
        t[i] = x[i] + at[s] * h * k[s][i];
  }
  for (int i = 0; i < 3; ++i)
    x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
}
static double lorenz(const Lorenz *p, const State *start, int n) {
  State x = *start;
  for (int i = 0; i < n; ++i)
    rk4(*p, x, 0.01);
  return x[0] + x[1] * x[2];
}
static double adaptive(double rate) {
  double t = 0, x = 1, h = 0.1;
  while (t < 1) {
    if (t + h > 1)
      h = 1 - t;
    auto f = [&](double v) { return -rate * v * v; };
    double mid = x + 0.5 * h * f(x), euler = x + h * f(x), better = x + h * f(mid);
    if (std::fabs(better - euler) > 5e-3) {
      h *= 0.5;
      continue;
    }
    t += h;
    x = better;
    h *= 1.25;
  }
  return x;
}
static double trajectory(double rate, int n) {
  std::vector<std::array<double, 2>> path{{1.0, 0.0}};
  for (int i = 0; i < n; ++i) {
    auto [x, v] = path.back();
    path.push_back({x + 0.1 * v, v - 0.1 * rate * x});
  }
  double s = 0;
  for (const auto &p : path)
    s += p[0] * p[0];
  return s;
}

int main() {
  Lorenz p{10, 28, 8.0 / 3}, dp{0, 0, 0}, tp{0, 1, 0};
  State x{1, 2, 3}, dx{}, tx{};
  __enzyme_autodiff((void *)lorenz, &p, &dp, &x, &dx, 40);
  RG_GRAD(dp.Sigma, lorenz(&p, &x, 40), p.Sigma);
  RG_GRAD(dp.Rho, lorenz(&p, &x, 40), p.Rho);
  RG_GRAD(dp.Beta, lorenz(&p, &x, 40), p.Beta);
  RG_GRADS(dx, lorenz(&p, &x, 40), x, 3);
  RG_NEAR(__enzyme_fwddiff((void *)lorenz, &p, &tp, &x, &tx, 40), dp.Rho);
  RG_UNARY(adaptive, 1.3);
  double rate = 0.8;
  RG_GRAD(__enzyme_autodiff((void *)trajectory, rate, 15), trajectory(rate, 15), rate);
  return rgReport();
}
