#include "common.h"
/* x to the power 2^n, by a loop of unknown length with memory of its own. */
static double towers(double x, int n) {
  double *p = (double *)malloc((n + 1) * sizeof(double));
  p[0] = x;
  for (int i = 0; i < n && p[i] < 1e6; ++i)
    p[i + 1] = p[i] * p[i];
  double r = p[n];
  free(p);
  return r;
}
double one(double x) { return __enzyme_autodiff((void *)towers, x, 3); } /* 8 x^7 */
