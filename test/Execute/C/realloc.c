// A growing array with realloc, and one that shrinks.
#include "rgtest.h"
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double grow(double x, int n) {
  double *a = NULL, s = 0;
  int size = 0, capacity = 0;
  for (int i = 0; i < n; ++i) {
    if (size == capacity) {
      capacity = capacity ? 2 * capacity : 1;
      a = realloc(a, capacity * sizeof *a);
    }
    a[size] = size ? a[size - 1] * x + 0.25 : x;
    ++size;
  }
  for (int i = 0; i < size; ++i)
    s += a[i] * a[size - 1 - i];
  free(a);
  return s;
}
static double shrink(const double *x, int n) {
  double *a = malloc(n * sizeof *a);
  for (int i = 0; i < n; ++i)
    a[i] = x[i] * x[i];
  a = realloc(a, 2 * sizeof *a);
  double s = a[0] * a[1];
  a = realloc(a, 3 * sizeof *a);
  a[2] = s * a[0];
  s += a[2];
  free(a);
  return s;
}

int main(void) {
  double x = 0.9;
  for (int n = 0; n < 8; ++n) {
    RG_GRAD(__enzyme_autodiff((void *)grow, x, n), grow(x, n), x);
    RG_GRAD(__enzyme_fwddiff((void *)grow, x, 1.0, n), grow(x, n), x);
  }
  double a[4] = {1.5, 2, -1, 3}, d[4] = {0};
  __enzyme_autodiff((void *)shrink, a, d, 4);
  RG_GRADS(d, shrink(a, 4), a, 4);
  return rgReport();
}
