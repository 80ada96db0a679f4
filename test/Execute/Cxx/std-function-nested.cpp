// Functions that hold functions.
// RG-LEVELS: O1 O2 O3
#include "rgtest.h"
#include <cmath>
#include <functional>

extern int enzyme_dup, enzyme_const;
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

using Map = std::function<double(double)>;

static Map composed(Map f, Map g) {
  return [f, g](double t) { return f(g(t)); };
}
static double composition(const double *x, int) {
  double a = x[0], b = x[1];
  Map f = composed([a](double t) { return a * t; }, [b](double t) { return b + t * t; });
  Map g = composed(f, f);
  return g(x[2]) * f(x[3]);
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
  check(composition);
  return rgReport();
}
