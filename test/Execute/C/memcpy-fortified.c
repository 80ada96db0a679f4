// The fortified memcpy keeps its own name when the compiler cannot prove the
// size: still a copy of what derivatives flow through.
#include "rgtest.h"
#include <stddef.h>

double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;
void *__memcpy_chk(void *, const void *, size_t, size_t);

static double f(const double *x, int n) {
  double b[10], s = 0;
  __memcpy_chk(b, x, n * sizeof *x, sizeof b);
  for (int i = 0; i < n; ++i)
    s += b[i] * b[i];
  return s;
}

int main(void) {
  double x[3] = {1, 2, 3}, d[3] = {0}, t[3] = {0, 1, 0};
  __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, 3);
  for (int i = 0; i < 3; ++i)
    RG_NEAR(d[i], 2 * x[i]);
  RG_NEAR(__enzyme_fwddiff((void *)f, enzyme_dup, x, t, enzyme_const, 3), 4);
  return rgReport();
}
