// enzyme_interleave, and options behind the shadows.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
extern int enzyme_const, enzyme_dup, enzyme_interleave, enzyme_runtime_activity;
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
double f(double *x, double *y, int n, double a) { double s = 0; for (int i = 0; i < n; ++i) s += a * x[i] * y[i] * y[i]; return s; }
int main(void) {
  double x[2] = {1, 2}, y[2] = {3, 4}, dx[2] = {0}, dy[2] = {0}, a = 2;
  double da = __enzyme_autodiff((void *)f, enzyme_dup, x, enzyme_dup, y, 2, a, enzyme_interleave, dx, dy, enzyme_runtime_activity);
  RG_NEAR(da, 41); RG_NEAR(dx[1], 32); RG_NEAR(dy[0], 12);
  double tx[2] = {1, 0}, ty[2] = {0, 0};
  RG_NEAR(__enzyme_fwddiff((void *)f, x, y, 2, a, enzyme_interleave, tx, ty, 1.0), 18 + 41);
  RG_NEAR(__enzyme_fwddiff((void *)f, x, enzyme_const, y, 2, enzyme_const, a, enzyme_interleave, tx), 18);
  return rgReport();
}
