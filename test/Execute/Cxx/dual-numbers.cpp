// A user's own forward-mode type inside the function that is differentiated: the
// reverse derivative of a derivative, checked by hand.
#include "rgtest.h"
#include <cmath>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

struct Dual {
  double V, D;
  Dual(double v, double d = 0) : V(v), D(d) {}
};
static Dual operator+(const Dual &a, const Dual &b) { return {a.V + b.V, a.D + b.D}; }
static Dual operator*(const Dual &a, const Dual &b) { return {a.V * b.V, a.V * b.D + a.D * b.V}; }
static Dual operator/(const Dual &a, const Dual &b) {
  return {a.V / b.V, (a.D * b.V - a.V * b.D) / (b.V * b.V)};
}
static Dual sin(const Dual &a) { return {std::sin(a.V), std::cos(a.V) * a.D}; }

template <typename T> static T g(T x) { return sin(x * x) / (x + T(2)) + x; }
static double slope(double x) { return g(Dual(x, 1)).D; }
static double loop(double x) {
  Dual s(x, 1);
  for (int i = 0; i < 4; ++i)
    s = s * s * Dual(0.5) + s + Dual(0.1 * i);
  return s.D;
}

int main() {
  RG_UNARY(slope, 0.7);
  RG_UNARY(slope, -0.4);
  RG_UNARY(loop, 0.3);
  // (x sin x)'' = 2 cos x - x sin x, with the dual type inline.
  auto h = +[](double x) { return (Dual(x, 1) * sin(Dual(x, 1))).D; };
  RG_NEAR(__enzyme_autodiff((void *)h, 1.25), 2 * std::cos(1.25) - 1.25 * std::sin(1.25));
  return rgReport();
}
