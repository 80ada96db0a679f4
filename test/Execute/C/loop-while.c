// Loops that stop when the data say so: halving, Newton's iteration for a
// square root, and a fixed point with two exits.
#include "rgtest.h"
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double halve(double x) {
  double s = 0;
  while (x > 1.0) {
    s += x * x;
    x = x / 2;
  }
  return s + x;
}
static double newton(double a) {
  double x = a;
  while (fabs(x * x - a) > 1e-13)
    x = 0.5 * (x + a / x);
  return x;
}
static double fixedPoint(double a) {
  double x = 0;
  int steps = 0;
  for (;;) {
    double next = a * cos(x);
    if (fabs(next - x) < 1e-14)
      return next;
    x = next;
    if (++steps > 200)
      break;
  }
  return x;
}

int main(void) {
  RG_UNARY(halve, 9.3);
  RG_UNARY(halve, 0.3);
  RG_UNARY(newton, 3.7);
  RG_NEAR(__enzyme_autodiff((void *)newton, 4.0), 0.25);
  double a = 0.6, x = fixedPoint(a);
  double want = cos(x) / (1 + a * sin(x));
  RG_WITHIN(__enzyme_autodiff((void *)fixedPoint, a), want, 1e-9);
  RG_WITHIN(__enzyme_fwddiff((void *)fixedPoint, a, 1.0), want, 1e-9);
  return rgReport();
}
