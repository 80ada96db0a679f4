// What the program computes only where it wants it is computed everywhere once the
// optimiser has made a choice of the branch: of infinite arguments, of memory that
// nobody wrote. The adjoint of what was not chosen is 0, whatever lies there.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>

extern int enzyme_const, enzyme_dup, enzyme_width;
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double argument(double x, double y) { return x > 0 ? x * y : x; }
static double chain(double x, double y) {
  return x > 0 ? (x * y + 1) * x * y : 2 * x;
}
static double nested(double x, double y) {
  return x > 0 ? x > 1 ? x * x * y : x * y : x;
}
static double contracted(double x, double y) { return x > 0 ? fma(x, y, y) : x; }
static double quotient(double x, double y) { return x > 0 ? x / (y - y) : x; }

// Where a record is a circle, its second number was never written.
typedef struct { double a, b; int box; } Shape;
static double areas(const Shape *s, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    sum += s[i].box ? s[i].a * s[i].b : s[i].a * s[i].a * 3;
  return sum;
}
static double known(const double *x, const double *w, const int *is, int n) {
  double s = 1;
  for (int i = 0; i < n; ++i)
    s += is[i] ? s * x[i] * w[i] : x[i];
  return s;
}
// The gradient of a gradient: an adjoint that is 0 by chance has a derivative.
static double choice(double x, double y) { return y > 0 ? x * x * y : x; }
static double slope(double x, double y) {
  return __enzyme_autodiff((void *)choice, x, enzyme_const, y);
}

#define BOTH(F, X, Y, WANT)                                                    \
  do {                                                                         \
    RG_NEAR(__enzyme_autodiff((void *)F, X, enzyme_const, Y), WANT);           \
    RG_NEAR(__enzyme_fwddiff((void *)F, X, 1.0, enzyme_const, Y), WANT);       \
  } while (0)

int main(void) {
  const double bad[] = {INFINITY, NAN, -INFINITY};
  for (int i = 0; i < 3; ++i) {
    volatile double v = bad[i];
    const double y = v;
    BOTH(argument, -1.0, y, 1);
    BOTH(chain, -1.0, y, 2);
    BOTH(nested, -1.0, y, 1);
    BOTH(contracted, -1.0, y, 1);
    BOTH(quotient, -1.0, y, 1);
    Shape s[3] = {{2, y, 0}, {3, 4, 1}, {5, y, 0}}, ds[3] = {{0}};
    __enzyme_autodiff((void *)areas, enzyme_dup, s, ds, enzyme_const, 3);
    RG_NEAR(ds[0].a, 12), RG_NEAR(ds[0].b, 0);
    RG_NEAR(ds[1].a, 4), RG_NEAR(ds[1].b, 3);
    RG_NEAR(ds[2].a, 30), RG_NEAR(ds[2].b, 0);
    double x[4] = {1, 2, 3, 4}, dx[4] = {0}, w[4] = {.5, y, .25, y};
    int is[4] = {1, 0, 1, 0};
    __enzyme_autodiff((void *)known, enzyme_dup, x, dx, enzyme_const, w,
                      enzyme_const, is, enzyme_const, 4);
    RG_NEAR(dx[0], .5 * 1.75), RG_NEAR(dx[1], 1.75);
    RG_NEAR(dx[2], 3.5 * .25), RG_NEAR(dx[3], 1);
  }
  BOTH(argument, 2.0, 3.0, 3);
  BOTH(chain, 2.0, 3.0, 39);
  BOTH(nested, 2.0, 3.0, 12);
  BOTH(nested, 0.5, 3.0, 3);
  BOTH(slope, 0.0, 3.0, 6);
  return rgReport();
}
