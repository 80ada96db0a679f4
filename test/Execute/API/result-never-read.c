// Results that are kept in a variable which nobody reads: whatever they are declared as.
// RG-LEVELS: O0 O1 O2
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
float __enzyme_fwddiff_narrow(void *, ...);
static void cubes(const double *x, double *y) {
  for (int i = 0; i < 3; ++i)
    y[i] = x[i] * x[i] * x[i];
}
static double square(double x) { return x * x; }
int main(void) {
  double x[3] = {1, 2, 3}, dx[3] = {0}, y[3], dy[3] = {1, 1, 1};
  double unused = __enzyme_autodiff((void *)cubes, x, dx, y, dy);
  RG_NEAR(dx[2], 27);
  double again;
  again = __enzyme_autodiff((void *)cubes, x, dx, y, (double[]){1, 1, 1});
  again = __enzyme_autodiff((void *)cubes, x, dx, y, (double[]){1, 1, 1});
  RG_NEAR(dx[2], 81);
  float narrow = __enzyme_fwddiff_narrow((void *)square, 3.0, 1.0);
  double kept = __enzyme_autodiff((void *)square, 3.0);
  RG_NEAR(kept, 6);
  return rgReport();
}
