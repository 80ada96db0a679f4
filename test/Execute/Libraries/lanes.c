// RG-LEVELS: O0 O2 O3
// RG-FLAGS: -lopenblas
// REQUIRES: openblas
// A rule of the runtime: cblas_ddot has no body here, and its operands are
// overwritten after the call.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
void __enzyme_fwddiff_v(void *, ...);
int enzyme_const, enzyme_dup, enzyme_width;

double cblas_ddot(int n, const double *x, int incx, const double *y, int incy);
double norms(double *x, double *y, int n) {
  double s = cblas_ddot(n, x, 1, y, 1);
  for (int i = 0; i < n; i++)
    y[i] *= s + x[0];
  s += cblas_ddot(n / 2, x, -2, y + 1, 1);
  x[1] = 0;
  return s * cblas_ddot(n, y, 1, y, 1);
}
double copied(const double *x, const double *y) {
  double a[4], b[4];
  for (int i = 0; i < 4; i++)
    a[i] = x[i], b[i] = y[i];
  return norms(a, b, 4);
}

int main(void) {
  double x[4] = {1, -0.5, 0.25, 2}, y[4] = {0.5, 0.75, -1, 0.3}, dx[4] = {0}, dy[4] = {0}, t[4];
  __enzyme_autodiff((void *)copied, x, dx, y, dy);
  for (int i = 0; i < 4; i++) {
    RG_GRAD(dx[i], copied(x, y), x[i]);
    RG_GRAD(dy[i], copied(x, y), y[i]);
    for (int k = 0; k < 4; k++)
      t[k] = k == i;
    RG_GRAD(__enzyme_fwddiff((void *)copied, x, t, enzyme_const, y), copied(x, y), x[i]);
    RG_GRAD(__enzyme_fwddiff((void *)copied, enzyme_const, x, y, t), copied(x, y), y[i]);
  }
  double only[4] = {0};
  __enzyme_autodiff((void *)copied, enzyme_const, x, y, only);
  for (int i = 0; i < 4; i++)
    RG_NEAR(only[i], dy[i]);
  // Two lanes share one primal sweep.
  double x1[4] = {0}, x2[4] = {0};
  __enzyme_autodiff((void *)copied, enzyme_width, 2, x, x1, x2, enzyme_const, y);
  for (int i = 0; i < 4; i++) {
    RG_NEAR(x1[i], dx[i]);
    RG_NEAR(x2[i], dx[i]);
  }
  return rgReport();
}
