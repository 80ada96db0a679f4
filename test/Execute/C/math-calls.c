// RG-LEVELS: O0 O1 O2 O3 Os fast g
// The common math functions, nested in each other and in a loop.
#include "rgtest.h"
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
float __enzyme_autodiff_f(float (*)(float), float);

static double trigonometric(double x) { return sin(x) * cos(2 * x) + tan(x / 2); }
static double exponential(double x) { return exp(-x * x) * log(1 + x * x); }
static double roots(double x) { return sqrt(x * x + 1) * cbrt(x + 3); }
static double power(double x) { return pow(x * x + 0.5, x) + pow(2.0, x); }
static double hyperbolic(double x) { return tanh(x) * sinh(x) / cosh(x); }
static double inverse(double x) { return atan(x) + asin(x / 4) * acos(x / 4); }
static double two(double x) { return atan2(x, 2.0) + hypot(x, 3.0) + fma(x, x, x); }
static double rounding(double x) { return x * floor(x) + ceil(x) - trunc(x) * x; }
static double looped(double x) {
  double s = 0;
  for (int i = 1; i < 6; ++i)
    s += sin(i * x) / i + exp(-s);
  return s;
}
static float single(float x) { return expf(-x) * sinf(x) + sqrtf(x + 2); }

int main(void) {
  for (double x = -1.3; x < 2; x += 0.7) {
    RG_UNARY(trigonometric, x);
    RG_UNARY(exponential, x);
    RG_UNARY(roots, x);
    RG_UNARY(power, x);
    RG_UNARY(hyperbolic, x);
    RG_UNARY(inverse, x);
    RG_UNARY(two, x);
    RG_UNARY(rounding, x);
    RG_UNARY(looped, x);
  }
  RG_NEARF(__enzyme_autodiff_f(single, 0.5f),
           exp(-0.5) * (cos(0.5) - sin(0.5)) + 0.5 / sqrt(2.5));
  return rgReport();
}
