// Rounding by adding and subtracting a large constant: constant almost everywhere,
// as in range reduction of a hand-written exponential.
#include "rgtest.h"
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
float __enzyme_autodiff_float(void *, ...);
static double nearest(double x) { return (x + 0x1.8p52) - 0x1.8p52; }
static double exponential(double x) {
  double n = nearest(x * 1.4426950408889634), r = x - n * 0.6931471805599453, p = 1;
  for (int i = 12; i > 0; --i)
    p = 1 + p * r / i;
  return ldexp(p, (int)n);
}
static float fraction(float x) {
  float n = (x + 0x1p23f) - 0x1p23f;
  return (x - n) * (x - n) * x;
}
int main(void) {
  RG_UNARY(exponential, 1.3);
  RG_UNARY(exponential, -0.7);
  float x = 1.3f; // n is 1
  RG_WITHIN(__enzyme_autodiff_float((void *)fraction, x),
            2 * 0.3 * 1.3 + 0.09, 1e-4);
  return rgReport();
}
