// RG-LEVELS: O0 O1 O2 O3
// Markers that an optimiser would fold, or that are found in a way of their own: const ones
// without an initialiser, one per thread, static ones.
#include "rgtest.h"
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
const int enzyme_dup;
_Thread_local int enzyme_const;
static int enzyme_out;

static double f(double a, const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += a * x[i] * x[i];
  return s;
}
double __enzyme_autodiff_number(void *, ...);

int main(void) {
  double x[2] = {1, 2}, dx[2] = {0, 0};
  __enzyme_autodiff((void *)f, enzyme_const, 3.0, enzyme_dup, x, dx, enzyme_const, 2);
  RG_NEAR(dx[0], 6);
  RG_NEAR(dx[1], 12);
  RG_NEAR(__enzyme_autodiff_number((void *)f, enzyme_out, 3.0, enzyme_const, x, enzyme_const, 2), 5);
  RG_NEAR(__enzyme_fwddiff((void *)f, enzyme_const, 3.0, enzyme_dup, x, dx, enzyme_const, 2), 180);
  return rgReport();
}
