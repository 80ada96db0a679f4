// Two loops that run in the reverse sweep. The first runs under a condition, and tests what was computed under it; the
// second runs always, so that nothing but its reverse leads to the first.
// RG-LEVELS: O0 O1 O2 O3
// RG-SWITCHES: defer-loops
#include "rgtest.h"
#include <math.h>
#include <string.h>

void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;

enum { N = 7 };

static double sums(const double *x, int n) {
  double sum = 0;
  if (x[0] > 0.2) {
    double limit = x[0] * x[1];
    int above = limit > 0.1;
    for (int i = 0; i < n; ++i) {
      double p = 1;
      for (int j = 0; j < n; ++j)
        if (above || x[j] < limit)
          p = sin(p * x[i]);
      sum += p;
    }
  }
  for (int i = 0; i < N; ++i) {
    double p = 1;
    for (int j = 0; j < N; ++j)
      p = cos(p * x[i] + x[j]);
    sum += p;
  }
  return sum;
}

static void check(double first, int n) {
  double x[N], d[N], v[N], along = 0;
  for (int i = 0; i < N; ++i)
    x[i] = first + 0.07 * i, v[i] = 1 + 0.3 * i;
  memset(d, 0, sizeof d);
  __enzyme_autodiff((void *)sums, enzyme_dup, x, d, enzyme_const, n);
  for (int i = 0; i < N; ++i) {
    RG_GRAD(d[i], sums(x, n), x[i]);
    along += d[i] * v[i];
  }
  RG_NEAR(__enzyme_fwddiff((void *)sums, enzyme_dup, x, v, enzyme_const, n), along);
}

int main(void) {
  check(0.5, N);  // above the limit
  check(0.25, N); // below it
  check(0.5, 2);
  check(0.5, 0);
  check(0.1, N); // not under the condition
  return rgReport();
}
