// Strict and ordinary functions call each other; which are inlined depends on the level.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>

double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;

static double ordinary(double a, double b) { return a * b + sin(a) / b; }

__attribute__((noinline)) static double ordinary_call(const double *x, int i) {
  double s = x[0];
  for (int k = 0; k < i; ++k)
    s = s * x[1] + ordinary(s, x[1]);
  return s;
}

static double strict(double a, double b) {
#pragma STDC FENV_ACCESS ON
  float c = (float)a;
  return a / b + sqrt(a * b) - (double)c * b + pow(b, a) + log(b);
}

__attribute__((noinline)) static double strict_call(const double *x, double *work, int n) {
#pragma STDC FENV_ACCESS ON
  work[0] = x[0];
  for (int i = 1; i < n; ++i)
    work[i] = work[i - 1] * cos(work[i - 1]) + x[1] / (1 + i) + ordinary(x[0], x[1] + i);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += work[i] * work[n - 1 - i];
  return s;
}

static double from_ordinary(const double *x) {
  double *work = malloc(6 * sizeof *work);
  double s = strict(x[0], x[1]) * strict_call(x, work, 6) + ordinary_call(x, 3);
  free(work);
  return s * strict(x[1], x[0] + 1);
}

static double from_strict(const double *x) {
#pragma STDC FENV_ACCESS ON
  double work[5];
  double s = ordinary(x[0], x[1]) * ordinary_call(x, 4);
  return s + strict_call(x, work, 5) * strict(x[0], x[1]);
}

#define CHECK(f)                                                                                  \
  do {                                                                                            \
    double x[2] = {0.7, 1.3}, d[2] = {0, 0};                                                      \
    __enzyme_autodiff((void *)f, enzyme_dup, x, d);                                               \
    for (int k = 0; k < 2; ++k) {                                                                 \
      double v[2] = {k == 0, k == 1}, w[2] = {x[0], x[1]}, h = k ? 0x1p-7 : 0x1p-7;               \
      RG_WITHIN(__enzyme_fwddiff((void *)f, enzyme_dup, x, v), d[k], 1e-6);                       \
      w[k] = x[k] + h;                                                                            \
      double up = f(w);                                                                           \
      w[k] = x[k] - h;                                                                            \
      RG_WITHIN((up - f(w)) / (2 * h), d[k], 2e-2);                                               \
    }                                                                                             \
  } while (0)

int main(void) {
  CHECK(from_ordinary);
  CHECK(from_strict);
  return rgReport();
}
