// Local arrays with indices known only at run time, arrays of arrays, arrays
// initialised from active values, and parts never written.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double indexed(double x, int k) {
  double a[4] = {x, x * x, 1, x * x * x};
  a[k] = a[(k + 1) % 4] * a[k] + 1;
  return a[0] * a[1] + a[2] * a[3];
}
static double history(double x, int n) {
  double a[32] = {x};
  for (int i = 1; i < n; ++i)
    a[i] = a[i / 2] * 0.5 + a[i - 1] * x;
  return a[n - 1] + a[n / 2];
}
static double twoDimensional(const double x[3][3]) {
  double t[3][3], s = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      t[j][i] = x[i][j] * x[j][i] + x[i][i];
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      s += t[i][j] * x[i][j];
  return s;
}
static double overwritten(double x) {
  double a[2];
  a[0] = x * x;
  double r = a[0] * 3;
  a[0] = 5;
  r += a[0] * x;
  a[0] = x;
  return r * a[0];
}

int main(void) {
  double x = 0.8;
  for (int k = 0; k < 4; ++k) {
    RG_GRAD(__enzyme_autodiff((void *)indexed, x, k), indexed(x, k), x);
    RG_GRAD(__enzyme_fwddiff((void *)indexed, x, 1.0, k), indexed(x, k), x);
  }
  for (int n = 1; n < 30; n += 9)
    RG_GRAD(__enzyme_autodiff((void *)history, x, n), history(x, n), x);
  double m[3][3] = {{1, 2, 3}, {-1, 0.5, 2}, {0, 1, 4}}, d[3][3] = {{0}};
  __enzyme_autodiff((void *)twoDimensional, m, d);
  for (int i = 0; i < 3; ++i)
    RG_GRADS(d[i], twoDimensional((const double(*)[3])m), m[i], 3);
  RG_UNARY(overwritten, 1.5);
  return rgReport();
}
