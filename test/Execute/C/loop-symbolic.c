// RG-LEVELS: O0 O1 O2 O3 Os fast g
// Trip counts that are arguments: zero and one iteration included, several
// index types, and a nest whose inner bound is the outer index.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;

static double product(const double *x, int n) {
  double p = 1;
  for (int i = 0; i < n; ++i)
    p *= x[i];
  return p;
}
static double sizes(const double *x, size_t n, long m, unsigned short k) {
  double s = 0;
  for (size_t i = 0; i < n; i++)
    s += x[i] * x[i];
  for (long i = m; i >= 0; i--)
    s = s * 0.5 + x[i];
  for (unsigned short i = 0; i < k; i++)
    s *= x[i];
  return s;
}
static double triangular(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      s += x[i] * x[j] * x[j];
  return s;
}

int main(void) {
  double x[6] = {1.5, -0.5, 2, 0.25, 1.25, -1};
  for (int n = 0; n <= 6; ++n) {
    double dx[6] = {0}, dy[6] = {0};
    __enzyme_autodiff((void *)product, x, dx, n);
    RG_GRADS(dx, product(x, n), x, 6);
    __enzyme_autodiff((void *)triangular, enzyme_dup, x, dy, enzyme_const, n);
    RG_GRADS(dy, triangular(x, n), x, 6);
    double v[6] = {0, 1, 0, 0, 0, 0};
    RG_NEAR(__enzyme_fwddiff((void *)triangular, x, v, n), dy[1]);
  }
  double dx[6] = {0};
  __enzyme_autodiff((void *)sizes, x, dx, (size_t)6, 4l, (unsigned short)3);
  RG_GRADS(dx, sizes(x, 6, 4, 3), x, 6);
  return rgReport();
}
