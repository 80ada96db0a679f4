// Every marker in every place, and the defaults without them.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const, enzyme_out, enzyme_dupnoneed;

static double f(double x, const double *p, double y, const double *q, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x * p[i] + y * q[i] * p[i];
  return s;
}

int main(void) {
  double x = 2, y = 3, p[2] = {1, 4}, q[2] = {5, 7};
  double dp[2] = {0}, dq[2] = {0}, dx, dy;
  dx = __enzyme_autodiff((void *)f, enzyme_out, x, enzyme_const, p, enzyme_const,
                         y, enzyme_const, q, enzyme_const, 2);
  RG_NEAR(dx, 5);
  dy = __enzyme_autodiff((void *)f, enzyme_const, x, enzyme_const, p, enzyme_out,
                         y, enzyme_const, q, 2);
  RG_NEAR(dy, 33);
  dx = __enzyme_autodiff((void *)f, x, enzyme_dup, p, dp, enzyme_const, y,
                         enzyme_const, q, 2);
  RG_NEAR(dx, 5);
  RG_NEAR(dp[0], 2 + 15);
  RG_NEAR(dp[1], 2 + 21);
  // No active scalar: nothing is returned but the shadows are there.
  __enzyme_autodiff((void *)f, enzyme_const, x, enzyme_const, p, enzyme_const, y,
                    q, dq, 2);
  RG_NEAR(dq[0], 3);
  RG_NEAR(dq[1], 12);
  double dn[2] = {0};
  __enzyme_autodiff((void *)f, enzyme_const, x, enzyme_dupnoneed, p, dn,
                    enzyme_const, y, enzyme_const, q, enzyme_const, 2);
  RG_NEAR(dn[1], dp[1]);

  double v[2] = {1, 0};
  RG_NEAR(__enzyme_fwddiff((void *)f, enzyme_dup, x, 1.0, enzyme_const, p,
                           enzyme_const, y, enzyme_const, q, 2), 5);
  RG_NEAR(__enzyme_fwddiff((void *)f, x, 0.0, enzyme_dup, p, v, y, 1.0,
                           enzyme_const, q, 2), 17 + 33);
  RG_NEAR(__enzyme_fwddiff((void *)f, enzyme_const, x, p, v, enzyme_const, y, q, v, 2),
          17 + 3);
  RG_NEAR(__enzyme_fwddiff((void *)f, enzyme_const, x, enzyme_const, p,
                           enzyme_const, y, enzyme_dupnoneed, q, v, 2), 3);
  return rgReport();
}
