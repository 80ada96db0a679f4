// RG-LEVELS: O0 O2 O3
// rg::hvp and rg::hessian: every kind of argument, against differences of the
// gradient and by hand; functions by address, too.
#include <retrograd/retrograd.hpp>
#include "rgtest.h"
#include <cmath>

static double coupled(double x, double y) { return x * x * y + std::sin(x * y); }
static float single(float x) { return x * x * x; }
static double chain(const std::vector<double> &x) {
  double s = 0;
  for (std::size_t I = 0; I + 1 < x.size(); ++I)
    s += 100 * std::pow(x[I + 1] - x[I] * x[I], 2) + (1 - x[I]) * (1 - x[I]);
  return s;
}
static double powers(double x, int n) { return std::pow(x, n); }
static double weighed(const std::array<double, 6> &x, double w) {
  std::vector<double> partial(x.size() + 1, 1.0); // memory of its own
  for (std::size_t I = 0; I < x.size(); ++I)
    partial[I + 1] = partial[I] * (w + x[I] * x[I]);
  return std::log(partial.back()) + x[0] * x[5];
}
static double behind(double x, const double *p, int n) {
  double s = 0;
  for (int I = 0; I < n; ++I)
    s += p[I] * std::pow(x, I);
  return s;
}
struct Spring {
  double length, stiffness;
};
static double energy(const Spring &s, const double &at) {
  return s.stiffness * (at - s.length) * (at - s.length);
}
template <class X> static double mixed(const X &x, const std::vector<double> &w) {
  double s = 1;
  for (std::size_t I = 0; I < w.size(); ++I)
    s *= std::exp(x[I] * w[I]) + w[I];
  return s;
}

// The whole Hessian against differences of the gradient, and products with it.
template <class F, class X, class... A> static void compare(F f, X x, A... a) {
  auto H = rg::hessian(f)(x, a...);
  X v = x;
  for (std::size_t J = 0; J < x.size(); ++J)
    v[J] = 0.5 - double(J % 3);
  X Product = rg::hvp(f)(x, a..., v);
  for (std::size_t I = 0; I < x.size(); ++I) {
    double Sum = 0;
    for (std::size_t J = 0; J < x.size(); ++J) {
      RG_GRAD(H[I][J], rg::gradient(f)(x, a...)[I], x[J]);
      RG_NEAR(H[I][J], H[J][I]);
      Sum += H[I][J] * v[J];
    }
    RG_NEAR(Product[I], Sum);
  }
}

int main() {
  compare(chain, std::vector<double>{0.5, -0.25, 1.5, 0.75, 1.25});
  compare([](const std::vector<double> &x) { return chain(x); }, std::vector<double>{0.5, -0.25});
  compare([](const std::array<double, 6> &x, double w) { return weighed(x, w); },
          std::array<double, 6>{0.1, 0.5, -0.7, 1.1, 0.3, -0.9}, rg::constant(0.75));
  compare(weighed, std::array<double, 6>{0.1, 0.5, -0.7, 1.1, 0.3, -0.9}, rg::constant(0.75));

  // Several arguments: a product for each, in their order.
  const double x = 0.75, y = 1.25, xx = 2 * y - y * y * std::sin(x * y),
               xy = 2 * x + std::cos(x * y) - x * y * std::sin(x * y), yy = -x * x * std::sin(x * y);
  auto [hx, hy] = rg::hvp(coupled)(x, y, 2.0, -3.0);
  RG_NEAR(hx, 2 * xx - 3 * xy);
  RG_NEAR(hy, 2 * xy - 3 * yy);
  auto [dx, dy] = rg::hvp(coupled)(rg::dup(x, 2.0), rg::dup(y, -3.0));
  RG_NEAR(dx, hx);
  RG_NEAR(dy, hy);
  RG_NEAR(rg::hvp(coupled)(x, rg::constant(y), 1.0), xx);
  RG_NEAR(rg::hvp(coupled)(rg::constant(x), rg::dup(y, 1.0)), yy);
  // Forms that are mixed: directions follow for those that have none.
  auto [mx, my] = rg::hvp(coupled)(rg::dup(x, 2.0), y, -3.0);
  RG_NEAR(mx, hx);
  RG_NEAR(my, hy);

  RG_NEAR(rg::hessian(powers)(2.0, 4), 48);
  RG_NEAR(rg::hvp(powers)(2.0, 4, 0.5), 24);
  RG_NEARF(rg::hessian(single)(1.5f), 9);
  RG_NEARF(rg::hvp(single)(1.5f, 2.0f), 18);
  RG_NEAR((double)rg::hessian([](long double x) { return x * x * x; })(1.5L), 9);

  double p[4] = {1, 2, 3, 4};
  RG_NEAR(rg::hessian(behind)(2.0, rg::constant(p), 4), 6 + 48);
  RG_NEAR(rg::hvp(behind)(2.0, rg::constant(p), 4, 1.0), 6 + 48);

  // A struct, whose derivative is a struct.
  Spring s{1.0, 3.0}, v{0.5, 2.0};
  auto [ds, dat] = rg::hvp(energy)(rg::active(s), 2.5, v, -1.0);
  // k (at - l)^2: second derivatives ll: 2k, lk: -2(at-l), l at: -2k, k at: 2(at-l), at at: 2k
  RG_NEAR(ds.length, 2 * 3 * 0.5 - 2 * 1.5 * 2 + 2 * 3);
  RG_NEAR(ds.stiffness, -2 * 1.5 * 0.5 - 2 * 1.5);
  RG_NEAR(dat, -2 * 3 * 0.5 + 2 * 1.5 * 2 - 2 * 3);

  // Of a lambda with captures, by two arguments of different types.
  const double scale = 1.5;
  auto f = [&](const std::array<double, 3> &x, const std::vector<double> &w) { return scale * mixed(x, w); };
  std::array<double, 3> a{0.5, -0.5, 0.25}, va{1, 0, -1};
  std::vector<double> w{1, 2, 0.5}, vw{0.25, -0.5, 1};
  auto [ha, hw] = rg::hvp(f)(a, w, va, vw);
  auto at = [&](double t) {
    auto b = a;
    auto u = w;
    for (int I = 0; I < 3; ++I) {
      b[I] += t * va[I];
      u[I] += t * vw[I];
    }
    return rg::gradient(f)(b, u);
  };
  double t = 0;
  for (int I = 0; I < 3; ++I) {
    RG_GRAD(ha[I], std::get<0>(at(t))[I], t);
    RG_GRAD(hw[I], std::get<1>(at(t))[I], t);
  }
  return rgReport();
}
