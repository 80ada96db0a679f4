// Loops driven by pointers: bumping to an end, two pointers meeting, a
// sentinel, and negative strides.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
int enzyme_dup, enzyme_const;

static double sumSquares(const double *p, const double *end) {
  double s = 0;
  while (p != end) {
    s += *p * *p;
    ++p;
  }
  return s;
}
static double dotReversed(const double *a, int n) {
  const double *p = a, *q = a + n - 1;
  double s = 0;
  while (p < q)
    s += *p++ * *q--;
  return s;
}
static double untilSentinel(const double *p) {
  double r = 1;
  for (; *p >= 0; p++)
    r = r * *p + 1;
  return r;
}
static void scaleInPlace(double *p, int n) {
  double *end = p + n;
  for (double *q = p + 1; q < end; q += 2)
    *q *= q[-1];
}

int main(void) {
  double a[6] = {1, 2, 0.5, 3, 1.5, -1}, d[6] = {0};
  // The end pointer is dup as well; its shadow is the end of the shadow.
  __enzyme_autodiff((void *)sumSquares, enzyme_dup, a, d, enzyme_dup, a + 6, d + 6);
  RG_GRADS(d, sumSquares(a, a + 6), a, 6);
  double e[6] = {0};
  __enzyme_autodiff((void *)dotReversed, a, e, 6);
  RG_GRADS(e, dotReversed(a, 6), a, 6);
  double g[6] = {0};
  __enzyme_autodiff((void *)untilSentinel, a, g);
  RG_GRADS(g, untilSentinel(a), a, 5);
  double x[6] = {1, 2, 3, 4, 5, 6}, dx[6] = {0, 1, 0, 10, 0, 100};
  __enzyme_autodiff((void *)scaleInPlace, x, dx, 6);
  RG_NEAR(dx[0], 2);
  RG_NEAR(dx[1], 1);
  RG_NEAR(dx[2], 40);
  RG_NEAR(dx[3], 30);
  RG_NEAR(dx[5], 500);
  return rgReport();
}
