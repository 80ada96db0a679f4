// A reallocation to a constant size moves only what both blocks hold: nothing
// is added behind the old block's shadow.
#include "rgtest.h"
#include <stdlib.h>

double __enzyme_autodiff(void *, ...);
int enzyme_dup, enzyme_const;

static double f(const double *x) {
  double *p = malloc(3 * sizeof *p), *behind = malloc(3 * sizeof *p);
  for (int i = 0; i < 3; ++i)
    p[i] = x[i], behind[i] = x[i] * x[i];
  p = realloc(p, 40 * sizeof *p);
  for (int i = 3; i < 40; ++i)
    p[i] = p[i - 1] * x[i % 3];
  double s = 0;
  for (int i = 0; i < 40; ++i)
    s += p[i] * (i + 1);
  for (int i = 0; i < 3; ++i)
    s += behind[i] * behind[i];
  free(p);
  free(behind);
  return s;
}

int main(void) {
  double x[3] = {0.9, 1.1, 0.8}, d[3] = {0};
  for (int times = 0; times < 3; ++times)
    __enzyme_autodiff((void *)f, enzyme_dup, x, d);
  for (int i = 0; i < 3; ++i)
    RG_GRAD(d[i] / 3, f(x), x[i]);
  return rgReport();
}
