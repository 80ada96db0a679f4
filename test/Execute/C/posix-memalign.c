// Memory that the library hands out through a pointer.
#define _GNU_SOURCE
#include "rgtest.h"
#include <stdlib.h>

double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;

static double f(double x, int n) {
  void *memory;
  if (posix_memalign(&memory, 64, n * sizeof(double)))
    return 0;
  double *p = memory, s = 0;
  for (int i = 0; i < n; ++i)
    p[i] = x * x * i;
  for (int i = 0; i < n; ++i)
    s += p[i] * p[n - 1 - i];
  free(p);
  return s;
}

int main(void) {
  double x = 1.5;
  RG_GRAD(__enzyme_autodiff((void *)f, x, enzyme_const, 5), f(x, 5), x);
  RG_GRAD(__enzyme_fwddiff((void *)f, enzyme_dup, x, 1.0, enzyme_const, 5), f(x, 5), x);
  return rgReport();
}
