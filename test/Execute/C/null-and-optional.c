// Optional pointers: null where nothing is wanted, tested inside f; pointer
// comparisons and differences decide what happens.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_const, enzyme_dup;

static double weighted(const double *x, const double *w, int n, double *mean) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += (w ? w[i] : 1.0) * x[i] * x[i];
  if (mean)
    *mean = s / n;
  return s;
}
static double window(const double *begin, const double *end, const double *from) {
  double s = 0;
  for (const double *p = from > begin ? from - 1 : from; p < end && p - from < 2; ++p)
    s += *p * *p * (double)(p - begin);
  return s;
}

int main(void) {
  double x[4] = {1, 2, 3, 4}, d[4] = {0}, w[4] = {1, 0.5, 2, 3}, dw[4] = {0};
  __enzyme_autodiff((void *)weighted, enzyme_dup, x, d, enzyme_const, NULL, 4,
                    enzyme_const, NULL);
  RG_NEAR(d[3], 8);
  double mean, dmean = 4;
  memset(d, 0, sizeof d);
  __enzyme_autodiff((void *)weighted, x, d, w, dw, 4, &mean, &dmean);
  RG_NEAR(d[3], 2 * 4 * 3 * 2.0);
  RG_NEAR(dw[1], 4 * 2.0);
  memset(d, 0, sizeof d);
  __enzyme_autodiff((void *)window, x, d, x + 4, d + 4, x + 2, d + 2);
  RG_GRADS(d, window(x, x + 4, x + 2), x, 4);
  return rgReport();
}
