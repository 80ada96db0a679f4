// Lambdas inside f: captures by value and by reference, mutable, generic, passed
// to templates, returned, and nested.
#include "rgtest.h"
#include <cmath>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

template <typename F> static double integrate(F f, double a, double b, int n) {
  double h = (b - a) / n, s = 0;
  for (int i = 0; i < n; ++i)
    s += f(a + (i + 0.5) * h);
  return s * h;
}
template <typename F> static auto twice(F f) {
  return [f](double x) { return f(f(x)); };
}

static double captures(double x) {
  double y = x * x, z = 1;
  auto byValue = [y](double t) { return t * y; };
  auto byReference = [&](double t) {
    z += t * y;
    y *= 2;
    return z;
  };
  return byReference(x) + byReference(byValue(x)) * z;
}
static double passed(double x) {
  return integrate([=](double t) { return std::exp(-x * t) * t; }, 0.0, x, 10);
}
static double generic(double x) {
  auto square = [](auto v) { return v * v; };
  auto counter = [n = 0, x]() mutable { return x * ++n; };
  double s = square(x) + square(3);
  for (int i = 0; i < 4; ++i)
    s += counter();
  return s * counter();
}
static double nested(double x) {
  auto f = twice([x](double t) { return t * x + 1; });
  return f(x) * twice(f)(0.5);
}

int main() {
  RG_UNARY(captures, 0.75);
  RG_UNARY(passed, 1.25);
  RG_UNARY(generic, 1.5);
  RG_UNARY(nested, 0.8);
  return rgReport();
}
