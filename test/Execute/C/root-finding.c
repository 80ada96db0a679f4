// Newton's method and bisection inside f. Differentiating Newton's iteration
// gives the derivative of the root; a bisection's midpoints depend on the ends
// of the interval only, and so does its derivative.
#include "rgtest.h"
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double kepler(double e, double m) { // E - e sin E = m
  double x = m;
  for (int i = 0; i < 30; ++i) {
    double f = x - e * sin(x) - m, d = 1 - e * cos(x);
    double dx = f / d;
    x -= dx;
    if (fabs(dx) < 1e-15)
      break;
  }
  return x;
}
static double bisection(double hi) {
  double lo = 0;
  for (int i = 0; i < 30; ++i) {
    double mid = 0.5 * (lo + hi);
    if (mid * mid < 2)
      lo = mid;
    else
      hi = mid;
  }
  return 0.5 * (lo + hi) * 3;
}
static double secant(double a) {
  double x0 = 1, x1 = a;
  while (fabs(x1 - x0) > 1e-12) {
    double f0 = x0 * x0 * x0 - a, f1 = x1 * x1 * x1 - a;
    double x2 = x1 - f1 * (x1 - x0) / (f1 - f0);
    x0 = x1;
    x1 = x2;
  }
  return x1;
}
typedef struct { double e, m; } Two;
Two __enzyme_autodiff_two(void *, ...);

int main(void) {
  double e = 0.4, m = 1.2, x = kepler(e, m);
  Two g = __enzyme_autodiff_two((void *)kepler, e, m);
  RG_NEAR(g.e, sin(x) / (1 - e * cos(x)));
  RG_NEAR(g.m, 1 / (1 - e * cos(x)));
  RG_NEAR(__enzyme_fwddiff((void *)kepler, e, 1.0, m, 0.0), g.e);
  // The midpoint is hi times a dyadic fraction: linear in hi.
  double hi = 3.7;
  RG_NEAR(__enzyme_autodiff((void *)bisection, hi), bisection(hi) / hi);
  RG_NEAR(__enzyme_fwddiff((void *)bisection, hi, 1.0), bisection(hi) / hi);
  double a = 5.0, root = cbrt(a);
  RG_WITHIN(__enzyme_autodiff((void *)secant, a), 1 / (3 * root * root), 1e-6);
  return rgReport();
}
