// std::optional and a small tagged variant by hand, bool flags and enum classes
// beside active members.
#include "rgtest.h"
#include <optional>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

enum class Kind : unsigned char { Linear, Square, None };
struct Term {
  Kind K;
  bool Negative;
  double C;
};

static std::optional<double> root(double x) {
  if (x < 0)
    return std::nullopt;
  double r = x > 1 ? x : 1;
  for (int i = 0; i < 20; ++i)
    r = 0.5 * (r + x / r);
  return r;
}
static double f(double x) {
  std::optional<double> a = root(x), b = root(x - 2), c;
  if (a)
    c = *a * 3;
  c = c.value_or(1.0) * x;
  return *c + b.value_or(x * x);
}
static double terms(const Term *t, int n, double x) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double v = 0;
    switch (t[i].K) {
    case Kind::Linear: v = t[i].C * x; break;
    case Kind::Square: v = t[i].C * x * x; break;
    case Kind::None: continue;
    }
    s += t[i].Negative ? -v : v;
  }
  return s;
}

int main() {
  RG_UNARY(f, 1.5);
  RG_UNARY(f, 3.5);
  Term t[3] = {{Kind::Square, false, 2}, {Kind::None, true, 3}, {Kind::Linear, true, 4}};
  Term d[3] = {{Kind::None, false, 0}, {Kind::None, false, 0}, {Kind::None, false, 0}};
  double x = 1.5;
  double dx = __enzyme_autodiff((void *)terms, t, d, 3, x);
  RG_GRAD(dx, terms(t, 3, x), x);
  for (int i = 0; i < 3; ++i) {
    RG_GRAD(d[i].C, terms(t, 3, x), t[i].C);
    RG_TRUE(d[i].K == Kind::None && !d[i].Negative);
  }
  return rgReport();
}
