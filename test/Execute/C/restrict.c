// Callees with restrict parameters: what they read may be overwritten by their
// caller before the reverse sweep, and one array may be passed twice when it is
// only read.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
__attribute__((noinline)) static void axpy(int n, double a, const double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++)
    y[i] += a * x[i];
}
__attribute__((noinline)) static double dot(int n, const double *restrict x, const double *restrict y) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += x[i] * y[i];
  return s;
}
static double f(double *x) {
  double r[4], p[4];
  for (int i = 0; i < 4; i++)
    r[i] = p[i] = x[i];
  double rr = dot(4, r, r);
  for (int k = 0; k < 3; k++) {
    double alpha = rr / (1 + dot(4, p, p));
    axpy(4, -0.3 * alpha, p, r);
    double now = dot(4, r, r);
    for (int i = 0; i < 4; i++)
      p[i] = r[i] + now / rr * p[i];
    rr = now;
  }
  return rr + dot(4, p, x);
}
int main(void) {
  double x[4] = {0.8, 0.7, 0.3, 1.1}, d[4] = {0};
  __enzyme_autodiff((void *)f, x, d);
  RG_GRADS(d, f(x), x, 4);
  for (int i = 0; i < 4; i++) {
    double t[4] = {0};
    t[i] = 1;
    RG_GRAD(__enzyme_fwddiff((void *)f, x, t), f(x), x[i]);
  }
  return rgReport();
}
