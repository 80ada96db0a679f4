// Entry calls declared the old way, with empty parentheses, and redeclared in a
// block; and the old names of the markers.
#include "rgtest.h"
#pragma clang diagnostic ignored "-Wdeprecated-non-prototype"
#pragma clang diagnostic ignored "-Wstrict-prototypes"
double __enzyme_autodiff();
double __enzyme_fwddiff();
int diffe_dup, diffe_const, diffe_dupnoneed;

static double f(double x) { return x * x * x; }
static double g(double *x, double *y) { return x[0] * y[0]; }

double blockScope(double x) {
  extern double __enzyme_autodiff_again();
  return __enzyme_autodiff_again(f, x);
}

int main(void) {
  RG_NEAR(__enzyme_autodiff(f, 2.0), 12);
  RG_NEAR(__enzyme_autodiff((void *)f, 3.0), 27);
  RG_NEAR(__enzyme_autodiff(&f, 1.0), 3);
  RG_NEAR(__enzyme_fwddiff(f, 2.0, 0.5), 6);
  RG_NEAR(blockScope(2.0), 12);
  double x = 3, dx = 0, y = 5, dy = 0;
  __enzyme_autodiff(g, diffe_dup, &x, &dx, diffe_const, &y);
  RG_NEAR(dx, 5);
  __enzyme_autodiff(g, diffe_dupnoneed, &x, &dx, diffe_dup, &y, &dy);
  RG_NEAR(dx, 10);
  RG_NEAR(dy, 3);
  return rgReport();
}
