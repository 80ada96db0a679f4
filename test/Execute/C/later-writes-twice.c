// What a called function reads again, and what is freed at the end without a shadow, in derivatives of derivatives.
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
__attribute__((noinline)) static double pick(const double *a, const int *at, double x) {
  double r = x;
  for (int i = 0; i < 5; ++i) r = r * 0.5 + sin(a[at[i]] + r * 0.3) * at[i];
  return r;
}
static double f(double x) {
  int *at = malloc(5 * sizeof *at);
  double *a = malloc(5 * sizeof *a), r = 0;
  for (int i = 0; i < 5; ++i) at[i] = (i * 3 + 1) % 5, a[i] = x * x * i;
  for (int k = 0; k < 3; ++k) { r += pick(a, at, x); for (int i = 0; i < 5; ++i) a[i] = sin(a[i]); }
  for (int i = 0; i < 5; ++i) r += a[at[i]] * at[i];
  free(at), free(a);
  return r;
}
static double df(double x) { return __enzyme_autodiff((void *)f, x); }
static double ff(double x) { return __enzyme_fwddiff((void *)f, x, 1.0); }
static double dff(double x) { return __enzyme_autodiff((void *)ff, x); }
static double ddf(double x) { return __enzyme_autodiff((void *)df, x); }
int main(void) {
  RG_UNARY(f, 0.6);
  RG_UNARY(df, 0.6);
  double x = 0.6; RG_GRAD(__enzyme_autodiff((void *)ff, x), ff(x), x); RG_GRAD(__enzyme_autodiff((void *)df, x), df(x), x); RG_UNARY(ddf, 0.6);
  return rgReport();
}
