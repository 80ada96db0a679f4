// Functions that return pointers: to one of their arguments, to the larger
// element, to a row, to fresh memory; and pointers chosen in a loop.
#include "rgtest.h"
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
#define NOINLINE __attribute__((noinline))

NOINLINE static double *largest(double *x, int n) {
  double *best = x;
  for (int i = 1; i < n; ++i)
    if (x[i] > *best)
      best = &x[i];
  return best;
}
NOINLINE static const double *pick(const double *a, const double *b, int which) {
  return which ? a : b;
}
NOINLINE static double *copyOf(const double *x, int n) {
  double *c = malloc(n * sizeof *c);
  memcpy(c, x, n * sizeof *c);
  return c;
}
static double f(const double *x, int n) {
  double *c = copyOf(x, n);
  double s = 0;
  for (int t = 0; t < n; ++t) {
    double *top = largest(c, n);
    s += *top * *top * (t + 1);
    *top *= 0.25;
    s += *pick(c, x, t & 1);
  }
  free(c);
  return s;
}

int main(void) {
  double x[4] = {1.5, 2.25, -1, 0.75}, d[4] = {0}, v[4] = {0, 1, 0, 0};
  __enzyme_autodiff((void *)f, x, d, 4);
  RG_GRADS(d, f(x, 4), x, 4);
  RG_NEAR(__enzyme_fwddiff((void *)f, x, v, 4), d[1]);
  return rgReport();
}
