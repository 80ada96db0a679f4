// Forward mode gives stack memory back as the primal does: arrays of variable
// length in a long loop.
#include "rgtest.h"

double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;

static double inner(double x, int n) {
  double b[n], s = 0;
  for (int i = 0; i < n; ++i)
    b[i] = x * i;
  for (int i = 0; i < n; ++i)
    s += b[n - 1 - i] * b[i];
  return s;
}
static double f(double x, int m, int n) {
  double s = 0;
  for (int i = 0; i < m; ++i)
    s += inner(x, n + (i & 1)) / m;
  return s;
}

int main(void) {
  double x = 1.3;
  RG_GRAD(__enzyme_fwddiff((void *)f, enzyme_dup, x, 1.0, enzyme_const, 100000, enzyme_const, 50),
          f(x, 100000, 50), x);
  return rgReport();
}
