// A function that owns memory together with others.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

extern int enzyme_dup, enzyme_const;
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

using Map = std::function<double(double)>;

static double held(const double *x, int n) {
  auto shared = std::make_shared<std::vector<double>>(x, x + n);
  Map f = [shared](double t) {
    double s = 0;
    for (double v : *shared)
      s += v * t;
    return s;
  };
  Map g = f;
  shared.reset();
  return f(x[0]) * g(x[1]);
}

template <class F> static void check(F f) {
  double x[6] = {0.5, 1.25, -0.75, 2, 0.875, -1.5}, dx[6] = {0};
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, 6);
  RG_GRADS(dx, f(x, 6), x, 6);
  for (int i = 0; i < 6; ++i) {
    double v[6] = {0};
    v[i] = 1;
    RG_NEAR(__enzyme_fwddiff((void *)f, enzyme_dup, x, v, enzyme_const, 6), dx[i]);
  }
}

int main() {
  check(held);
  return rgReport();
}
