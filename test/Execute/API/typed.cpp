// The typed API on every kind of argument and result, against known derivatives.
// RG-LEVELS: O0 O1 O2 fast
#include "rgtest.h"
#include <cmath>
#include <retrograd/retrograd.hpp>

double product(double x, double y) { return x * x * y; }
float single(float x) { return x * x * x; }
long double extended(long double x) { return x * x * x; }
double sumOfSquares(const std::vector<double> &v, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += v[i] * v[i];
  return s;
}
double behind(const double *p, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += p[i] * p[i] * (i + 1);
  return s;
}
std::array<double, 3> spread(const std::array<double, 2> &x) {
  return {x[0] * x[1], std::sin(x[0]), x[1] * x[1]};
}
std::array<double, 2> gather(const std::array<double, 3> &x, double weight) {
  return {x[0] * x[1] * weight, x[1] + x[2] * x[2]};
}
double powers(double x, int n) { return std::pow(x, n); }
template <class T> T generic(T x) { return x / (1 + x); }
struct Quadratic {
  double a;
  double operator()(double x) const { return a * x * x; }
};
struct Pair {
  double u, v;
};
double pairProduct(const Pair &p) { return p.u * p.v * p.v; }
void outward(const double &x, double &y) { y = x * x * x; }

int main() {
  auto [dx, dy] = rg::gradient(product)(3.0, 2.0);
  RG_NEAR(dx, 12);
  RG_NEAR(dy, 9);
  RG_NEAR(rg::gradient(product)(3.0, rg::constant(2.0)), 12);
  RG_NEAR(rg::gradient(single)(2.0f), 12);
  RG_NEAR(static_cast<double>(rg::gradient(extended)(2.0L)), 12);
  RG_NEAR(rg::gradient(powers)(2.0, 3), 12);
  RG_NEAR(rg::gradient(generic<double>)(1.0), 0.25);

  double captured = 2;
  RG_NEAR(rg::gradient([&](double x) { return captured * x * x; })(3.0), 12);
  RG_NEAR(rg::gradient([](auto x) { return x * x; })(3.0), 6);
  RG_NEAR(rg::gradient(Quadratic{2})(3.0), 12);
  RG_NEAR(rg::gradient([](double &x) { x *= x; return x; })(3.0), 6);

  std::vector<double> v{1, 2, 3};
  auto dv = rg::gradient(sumOfSquares)(v, 3);
  RG_NEAR(dv[0], 2);
  RG_NEAR(dv[2], 6);
  auto [value, part] = rg::value_and_gradient(sumOfSquares)(v, 2);
  RG_NEAR(value, 5);
  RG_NEAR(part[1], 4);
  RG_NEAR(part[2], 0);
  std::vector<double> shadow(3, 1.0);
  rg::gradient(sumOfSquares)(rg::dup(v, shadow), 3);
  RG_NEAR(shadow[2], 7); // added

  double p[2] = {1, 2}, dp[2] = {};
  rg::gradient(behind)(rg::dup(p, dp), 2);
  RG_NEAR(dp[0], 2);
  RG_NEAR(dp[1], 8);
  RG_NEAR(rg::value_and_gradient(behind)(rg::dup(p, dp), 2), 9);

  Pair q{2, 3};
  Pair dq = rg::gradient(pairProduct)(rg::active(q));
  RG_NEAR(dq.u, 9);
  RG_NEAR(dq.v, 12);

  RG_NEAR(rg::jvp(product)(rg::dup(3.0, 1.0), rg::dup(2.0, 10.0)), 12 + 90);
  RG_NEAR(rg::jvp(powers)(rg::dup(2.0, 1.0), 3), 12);
  double x = 2, xt = 1, y = 0, yt = 0;
  rg::jvp(outward)(rg::dup(x, xt), rg::dup(y, yt));
  RG_NEAR(yt, 12);

  std::array<double, 2> a{0.5, 4};
  auto t = rg::jvp(spread)(rg::dup(a, (std::array<double, 2>{1, 0})));
  RG_NEAR(t[0], 4);
  RG_NEAR(t[1], std::cos(0.5));
  RG_NEAR(t[2], 0);
  auto w = rg::vjp(spread)(a)(std::array<double, 3>{1, 0, 1});
  RG_NEAR(w[0], 4);
  RG_NEAR(w[1], 0.5 + 8);

  auto tall = rg::jacobian(spread)(a); // by columns
  RG_NEAR(tall[0][1], 0.5);
  RG_NEAR(tall[1][0], std::cos(0.5));
  RG_NEAR(tall[2][1], 8);
  auto wide = rg::jacobian(gather)(std::array<double, 3>{1, 2, 3}, rg::constant(5.0)); // by rows
  RG_NEAR(wide[0][0], 10);
  RG_NEAR(wide[0][1], 5);
  RG_NEAR(wide[1][2], 6);
  auto dynamic = rg::jacobian([](const std::vector<double> &x) {
    std::vector<double> r(2);
    r[0] = x[0] * x[1];
    r[1] = x[2] * x[2];
    return r;
  })(v);
  RG_NEAR(dynamic[0][0], 2);
  RG_NEAR(dynamic[0][1], 1);
  RG_NEAR(dynamic[1][2], 6);
  RG_NEAR(rg::jacobian(single)(2.0f), 12);
  return rgReport();
}
