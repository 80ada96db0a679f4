// A copy that only a check looks at has no shadow, and none is missed. When its
// memory is freed and given to numbers that have one, nothing is left of it.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;

static const double none[4] = {0};
enum { Bytes = 4 * sizeof(double) };

/// Memory of which only the running program knows whether it has a shadow.
static double *room(int n) { return n > 100 ? (double *)none : malloc(Bytes); }

static int isFinite(const double *v, int n) {
  double *copy = malloc(Bytes);
  memcpy(copy, v, n * sizeof(double));
  int finite = 1;
  for (int i = 0; i < n; ++i)
    finite &= copy[i] - copy[i] == 0;
  free(copy);
  return finite;
}

static double f(const double *x, int n) {
  double *work = room(n);
  for (int i = 0; i < n; ++i)
    work[i] = x[i] * x[i];
  if (!isFinite(work, n))
    return 0;
  double *next = room(n), sum = 0;
  for (int i = 0; i < n; ++i)
    next[i] = sin(work[i]);
  memcpy(work, next, n * sizeof(double));
  for (int i = 0; i < n; ++i)
    sum += work[i] * next[n - 1 - i];
  if (n <= 100) {
    free(work);
    free(next);
  }
  return sum;
}

int main(void) {
  double x[4] = {0.3, 0.5, 0.7, 1.1}, g[4] = {0};
  __enzyme_autodiff((void *)f, enzyme_dup, x, g, enzyme_const, 4);
  for (int i = 0; i < 4; ++i) {
    double t[4] = {0};
    t[i] = 1;
    RG_GRAD(g[i], f(x, 4), x[i]);
    RG_NEAR(__enzyme_fwddiff((void *)f, enzyme_dup, x, t, enzyme_const, 4), g[i]);
  }
  return rgReport();
}
