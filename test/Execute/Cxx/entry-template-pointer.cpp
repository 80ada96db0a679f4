// Entry templates that take the function with its own type, references forwarded
// as pointers, and a user's wrapper templates over them.
#include "rgtest.h"

template <typename R, typename... F, typename... A>
R __enzyme_autodiff(R (*)(F...), A...);
template <typename R, typename... F, typename... A>
R __enzyme_fwddiff(R (*)(F...), A...);
int enzyme_dup;
int enzyme_const;

static double f(double x) { return x / (1 + x * x); }
static double g(const double *x) { return x[0] * x[1]; }
template <typename T> static T poly(T x) { return (x + T(2)) * x - T(1); }

template <typename T> T derivative(T (*fun)(T), T x) = delete;
template <double (*Fun)(double)> double derivativeOf(double x) {
  return __enzyme_autodiff(Fun, x);
}

int main() {
  double x = 0.75;
  RG_GRAD(__enzyme_autodiff(f, x), f(x), x);
  RG_GRAD(__enzyme_fwddiff(f, x, 1.0), f(x), x);
  RG_GRAD(derivativeOf<f>(x), f(x), x);
  RG_GRAD(derivativeOf<poly<double>>(x), poly(x), x);
  float y = 1.5f;
  RG_NEARF(__enzyme_autodiff(poly<float>, y), 5);
  double v[2] = {3, 5}, d[2] = {0, 0};
  __enzyme_autodiff(g, v, d);
  RG_NEAR(d[0], 5);
  RG_NEAR(d[1], 3);
  return rgReport();
}
