// Threads add to one number without a word: a race of the primal, and of its derivative.
#include "rgopenmp.h"
static double racy(const double *x, int n) {
  double s = 0;
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    s += x[i] * x[i];
  return s;
}
int main(void) {
  POINT;
  double d[N] = {0};
  __enzyme_autodiff((void *)racy, enzyme_dup, x, d, enzyme_const, N);
  return 0;
}
