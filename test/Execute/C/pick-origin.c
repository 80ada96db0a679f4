// Pointers that a callee returns: to memory that it made, and to memory that
// has no shadow.
#include "rgtest.h"
#include <stdlib.h>

double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;

__attribute__((noinline)) static double *make(double x, int n) {
  double *p = malloc(n * sizeof *p);
  for (int i = 0; i < n; ++i)
    p[i] = x * x * (i + 1);
  return p;
}
static double made(double x, int n) {
  double *p = make(x, n), s = 0;
  for (int i = 0; i < n; ++i)
    s += p[i] * p[i];
  free(p);
  return s;
}

static const double table[3] = {0.5, 0.25, 2};
__attribute__((noinline)) static const double *pick(const double *a, int own) {
  return own ? a : table;
}
static double picked(const double *a, int n) {
  double s = 0;
  for (int w = 0; w < n; ++w) {
    const double *p = pick(a, w & 1);
    for (int i = 0; i < 3; ++i)
      s += p[i] * p[i] * a[i];
  }
  return s;
}

int main(void) {
  double x = 1.3;
  RG_GRAD(__enzyme_autodiff((void *)made, x, enzyme_const, 4), made(x, 4), x);
  RG_GRAD(__enzyme_fwddiff((void *)made, enzyme_dup, x, 1.0, enzyme_const, 4), made(x, 4), x);

  double a[3] = {1, 2, 3}, d[3] = {0}, t[3] = {0, 1, 0};
  __enzyme_autodiff((void *)picked, enzyme_dup, a, d, enzyme_const, 4);
  for (int i = 0; i < 3; ++i)
    RG_GRAD(d[i], picked(a, 4), a[i]);
  RG_GRAD(__enzyme_fwddiff((void *)picked, enzyme_dup, a, t, enzyme_const, 4), picked(a, 4), a[1]);
  return rgReport();
}
