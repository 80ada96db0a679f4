// RG-LEVELS: O0 O1 O2 O3 Os fast g
// Conditional expressions, which become phi at -O0 and select above it,
// including selects between pointers and between an active and a constant value.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;

static double relu(double x) { return x > 0 ? x : 0; }
static double leaky(double x) { return x > 0 ? x * x : 0.125 * x; }
static double nested(double x) {
  return x < -1 ? -1 - x * x : x > 1 ? x * x * x : x;
}
static double pick(const double *a, const double *b, int which) {
  const double *p = which ? a : b;
  return p[0] * p[1];
}
static double pickElement(double *a, int i) {
  double *slot = i > 1 ? &a[3] : &a[0];
  *slot = *slot * *slot;
  return a[0] + 2 * a[3];
}

int main(void) {
  for (double x = -1.75; x < 2; x += 0.5) {
    RG_UNARY(relu, x);
    RG_UNARY(leaky, x);
    RG_UNARY(nested, x);
  }
  for (int which = 0; which < 2; ++which) {
    double a[2] = {2, 3}, b[2] = {5, 7}, da[2] = {0, 0}, db[2] = {0, 0};
    __enzyme_autodiff((void *)pick, a, da, b, db, which);
    RG_NEAR(da[0], which ? 3 : 0);
    RG_NEAR(da[1], which ? 2 : 0);
    RG_NEAR(db[0], which ? 0 : 7);
    RG_NEAR(db[1], which ? 0 : 5);
    double c[4] = {3, 0, 0, 4}, dc[4] = {0, 0, 0, 0};
    __enzyme_autodiff((void *)pickElement, c, dc, which * 3);
    RG_NEAR(dc[0], which ? 1 : 6);
    RG_NEAR(dc[3], which ? 16 : 2);
  }
  return rgReport();
}
