// The number of rounds of a loop is what an earlier loop has left in a variable (the rank of a factorisation): the value
// behind that loop is one, and so is the count.
#include "rgtest.h"
#include <math.h>

void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;

static double ranked(const double *x, int n) {
  double a[8];
  for (int j = 0; j < n; ++j)
    a[j] = 1;
  int rank = n;
  for (int k = 0; k < n; ++k) {
    double m = 0;
    for (int j = k; j < n; ++j)
      m += x[j] * a[j];
    if (rank == n && m < 1.2)
      rank = k;
    for (int j = k; j < n; ++j)
      a[j] *= 0.7 + 0.1 * m;
  }
  double s = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < rank; ++j)
      a[j] = 0.9 * a[j] + 0.2 * x[i];
    for (int j = i; j < rank; ++j)
      a[j] = sin(a[j]) * x[j];
    s += a[i] * a[i];
  }
  return s;
}

int main(void) {
  double x[6] = {0.7, 0.9, 0.8, 0.3, 0.5, 0.4}, v[6] = {1, -0.5, 0.25, 0.75, -1, 0.5}, d[6] = {0}, sum = 0;
  __enzyme_autodiff((void *)ranked, enzyme_dup, x, d, enzyme_const, 6);
  for (int i = 0; i < 6; ++i) {
    RG_GRAD(d[i], ranked(x, 6), x[i]);
    sum += d[i] * v[i];
  }
  RG_NEAR(__enzyme_fwddiff((void *)ranked, enzyme_dup, x, v, enzyme_const, 6), sum);
  return rgReport();
}
