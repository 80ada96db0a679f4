// Derivatives of derivatives in every order, where the inner one keeps values on
// the tape: second and third derivatives of functions with loops whose trip
// counts are known late or not at all.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_const;

static double counted(double x, int n) {
  double s = 1;
  for (int i = 0; i < n; ++i)
    s = sin(s * x) + 0.1 * s * s;
  return s;
}
static double counted_r(double x, int n) {
  return __enzyme_autodiff((void *)counted, x, n);
}
static double counted_f(double x, int n) {
  return __enzyme_fwddiff((void *)counted, x, 1.0, n);
}
static double counted_rr(double x, int n) {
  return __enzyme_autodiff((void *)counted_r, x, n);
}
static double counted_fr(double x, int n) {
  return __enzyme_fwddiff((void *)counted_r, x, 1.0, n);
}
static double counted_rf(double x, int n) {
  return __enzyme_autodiff((void *)counted_f, x, n);
}

static double uncounted(double x, double limit) {
  double s = x;
  while (s < limit)
    s = 0.2 * s * s + x * s + 0.3;
  return log(s) * x;
}
static double uncounted_r(double x, double limit) {
  return __enzyme_autodiff((void *)uncounted, x, enzyme_const, limit);
}
static double uncounted_rr(double x, double limit) {
  return __enzyme_autodiff((void *)uncounted_r, x, enzyme_const, limit);
}

int main(void) {
  double x = 1.2;
  for (int n = 0; n < 5; ++n) {
    double first = counted_r(x, n), second = counted_fr(x, n);
    RG_GRAD(first, counted(x, n), x);
    RG_GRAD(second, counted_r(x, n), x);
    RG_NEAR(counted_rr(x, n), second);
    RG_NEAR(counted_rf(x, n), second);
    RG_NEAR(__enzyme_fwddiff((void *)counted_f, x, 1.0, n), second);

    double third = __enzyme_fwddiff((void *)counted_fr, x, 1.0, n);
    RG_GRAD(third, counted_fr(x, n), x);
    RG_NEAR(__enzyme_autodiff((void *)counted_rr, x, n), third);
    RG_NEAR(__enzyme_fwddiff((void *)counted_rr, x, 1.0, n), third);
    RG_NEAR(__enzyme_autodiff((void *)counted_rf, x, n), third);
  }
  for (double limit = 1; limit < 100; limit *= 6) {
    double second = __enzyme_fwddiff((void *)uncounted_r, x, 1.0, enzyme_const, limit);
    RG_GRAD(second, uncounted_r(x, limit), x);
    RG_NEAR(uncounted_rr(x, limit), second);
    RG_GRAD(__enzyme_autodiff((void *)uncounted_rr, x, enzyme_const, limit),
            uncounted_rr(x, limit), x);
  }
  return rgReport();
}
int enzyme_const;
