// Integer powers: pow with a constant and a variable integer exponent, powi,
// repeated squaring, and a plain loop.
#include "rgtest.h"
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double constantExponent(double x) { return pow(x, 5) + pow(x, -2); }
static double intExponent(double x, int n) { return pow(x, n); }
static double powi(double x, int n) { return __builtin_powi(x, n); }
static double squaring(double x, int n) {
  double r = 1;
  while (n) {
    if (n & 1)
      r *= x;
    x *= x;
    n >>= 1;
  }
  return r;
}
static double loop(double x, int n) {
  double r = 1;
  for (int i = 0; i < n; ++i)
    r *= x;
  return r;
}

int main(void) {
  double x = 1.25;
  RG_UNARY(constantExponent, 1.25);
  for (int n = 0; n < 6; ++n) {
    double want = n * pow(x, n - 1);
    RG_NEAR(__enzyme_autodiff((void *)intExponent, x, n), want);
    RG_NEAR(__enzyme_fwddiff((void *)intExponent, x, 1.0, n), want);
    RG_NEAR(__enzyme_autodiff((void *)powi, x, n), want);
    RG_NEAR(__enzyme_autodiff((void *)squaring, x, n), want);
    RG_NEAR(__enzyme_fwddiff((void *)squaring, x, 1.0, n), want);
    RG_NEAR(__enzyme_autodiff((void *)loop, x, n), want);
    RG_NEAR(__enzyme_fwddiff((void *)loop, x, 1.0, n), want);
  }
  return rgReport();
}
