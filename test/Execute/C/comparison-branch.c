// Every ordered and unordered comparison decides a branch; the derivative is
// that of the branch taken.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double less(double x) {
  if (x < 1.0)
    return x * x;
  return 3.0 * x;
}
static double greaterEqual(double x) {
  double r = 1.0;
  if (x >= 0.5) {
    r = x * x * x;
    if (x > 2.0)
      r += 10.0 * x;
  } else {
    r = -x;
  }
  return r * 2.0;
}
static double equality(double x) {
  double y = x * 2;
  if (y != 4.0)
    y = y * x;
  if (x == 100.0)
    y = 0;
  return y;
}
static double notLess(double x) {
  double r = x;
  if (!(x < 0.0))
    r = r * r;
  if (!(x > 5.0) && x <= 4.0)
    r = r + 2 * x;
  return r;
}

int main(void) {
  for (int i = -3; i < 8; ++i) {
    double x = 0.625 * i + 0.05;
    RG_UNARY(less, x);
    RG_UNARY(greaterEqual, x);
    RG_UNARY(equality, x);
    RG_UNARY(notLess, x);
  }
  return rgReport();
}
