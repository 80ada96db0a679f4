// Calls inside loops whose results or memory effects are needed in reverse:
// every iteration has its own record of the callee.
#include "rgtest.h"
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
#define NOINLINE __attribute__((noinline))

NOINLINE static double step(double x, double r) {
  double y = x;
  for (int k = 0; k < 3; ++k)
    y = y + 0.1 * r * y * (1 - y);
  return y;
}
NOINLINE static double mightReturnEarly(double x, int i) {
  if (i % 2)
    return x;
  return exp(-x) + x * x;
}
NOINLINE static void rotate(double *p, double angle) {
  double c = cos(angle), s = sin(angle), x = p[0];
  p[0] = c * x - s * p[1];
  p[1] = s * x + c * p[1];
}

static double f(double x, int n) {
  double p[2] = {x, 1 - x}, v = x;
  for (int i = 0; i < n; ++i) {
    v = step(v, 1.5 + x);
    rotate(p, 0.1 * v);
    if (i % 3 != 1)
      v = mightReturnEarly(v, i);
  }
  return p[0] * p[1] + v;
}

int main(void) {
  double x = 0.35;
  for (int n = 0; n < 8; ++n) {
    RG_GRAD(__enzyme_autodiff((void *)f, x, n), f(x, n), x);
    RG_GRAD(__enzyme_fwddiff((void *)f, x, 1.0, n), f(x, n), x);
  }
  return rgReport();
}
