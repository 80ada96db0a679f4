// Functions with kinks, evaluated off them: fabs, fmin, fmax, fdim, clamps, and
// a hinge in single precision.
#include "rgtest.h"
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
float __enzyme_autodiff_f(float (*)(float), float);

static double absolute(double x) { return fabs(x) * x + fabs(x - 0.5); }
static double extremes(double x) { return fmin(x, 1.0) * fmax(x, -1.0); }
static double positivePart(double x) { return fdim(x, 0.25) * 3; }
static double clamp(double x) {
  double lo = -0.5, hi = 0.75;
  double y = x * x * x;
  return y < lo ? lo : y > hi ? hi : y;
}
static double larger(double x) {
  double a = x * x, b = 2 * x;
  return a > b ? a : b;
}
static float hinge(float x) { return fmaxf(0.0f, 1.0f - fabsf(x) * x); }

int main(void) {
  for (double x = -1.85; x < 3; x += 0.45) {
    RG_UNARY(absolute, x);
    RG_UNARY(extremes, x);
    RG_UNARY(positivePart, x);
    RG_UNARY(clamp, x);
    RG_UNARY(larger, x);
  }
  RG_NEARF(__enzyme_autodiff_f(hinge, 0.5f), -1.0);
  RG_NEARF(__enzyme_autodiff_f(hinge, -0.5f), -1.0);
  RG_NEARF(__enzyme_autodiff_f(hinge, 2.0f), 0.0);
  return rgReport();
}
