// Stack memory of variable size: variable-length arrays, also two-dimensional
// and inside a loop, and alloca.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double vla(const double *x, int n) {
  double a[n], s = 0;
  for (int i = 0; i < n; ++i)
    a[i] = x[i] * x[i];
  for (int i = 0; i + 1 < n; ++i)
    s += a[i] * a[i + 1];
  return s;
}
static double matrix(const double *x, int n) {
  double a[n][n], s = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      a[i][j] = x[i] / (1 + x[j] * x[j]);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      s += a[i][j] * a[j][i];
  return s;
}
static double inLoop(const double *x, int n) {
  double s = 1;
  for (int k = 1; k <= n; ++k) {
    double a[k];
    for (int i = 0; i < k; ++i)
      a[i] = x[i] * s;
    s = a[k - 1] * 0.5 + a[0];
  }
  return s;
}
static double stack(double x, int n) {
  double *a = __builtin_alloca((n + 1) * sizeof *a);
  a[0] = x;
  for (int i = 0; i < n; ++i)
    a[i + 1] = a[i] * a[i] * 0.5 + x;
  return a[n];
}

int main(void) {
  double x[5] = {1.5, -0.5, 0.75, 0.25, 1.25};
  for (int n = 1; n < 6; ++n) {
    double d[5] = {0}, e[5] = {0}, h[5] = {0}, v[5] = {1, 0, 0, 0, 0};
    __enzyme_autodiff((void *)vla, x, d, n);
    RG_GRADS(d, vla(x, n), x, 5);
    __enzyme_autodiff((void *)matrix, x, e, n);
    RG_GRADS(e, matrix(x, n), x, 5);
    RG_NEAR(__enzyme_fwddiff((void *)matrix, x, v, n), e[0]);
    __enzyme_autodiff((void *)inLoop, x, h, n);
    RG_GRADS(h, inLoop(x, n), x, 5);
    RG_NEAR(__enzyme_fwddiff((void *)inLoop, x, v, n), h[0]);
    double y = 0.5;
    RG_GRAD(__enzyme_autodiff((void *)stack, y, n), stack(y, n), y);
  }
  return rgReport();
}
