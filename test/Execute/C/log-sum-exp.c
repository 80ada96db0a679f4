// log-sum-exp with the maximum taken out, over arrays and by a running pass, and
// a Gaussian mixture likelihood of one dimension.
#include "rgtest.h"
#include <float.h>
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_const, enzyme_dup;

static double twoPass(const double *x, int n) {
  double top = x[0], s = 0;
  for (int i = 1; i < n; ++i)
    if (x[i] > top)
      top = x[i];
  for (int i = 0; i < n; ++i)
    s += exp(x[i] - top);
  return log(s) + top;
}
static double running(const double *x, int n) {
  double top = -DBL_MAX, s = 0;
  for (int i = 0; i < n; ++i)
    if (x[i] <= top)
      s += exp(x[i] - top);
    else {
      s = s * exp(top - x[i]) + 1;
      top = x[i];
    }
  return log(s) + top;
}
static double mixture(const double *alpha, const double *mu, const double *logSigma,
                      const double *x, int k, int n) {
  double total = 0, part[8];
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < k; ++j) {
      double z = (x[i] - mu[j]) * exp(-logSigma[j]);
      part[j] = alpha[j] - logSigma[j] - 0.5 * z * z;
    }
    total += twoPass(part, k);
  }
  return total - n * twoPass(alpha, k);
}

int main(void) {
  double x[6] = {1.5, -0.5, 2, 0.25, 700, -1}, d[6] = {0}, e[6] = {0};
  __enzyme_autodiff((void *)twoPass, x, d, 6);
  RG_NEAR(d[4], 1);
  x[4] = 1.75;
  memset(d, 0, sizeof d);
  __enzyme_autodiff((void *)twoPass, x, d, 6);
  __enzyme_autodiff((void *)running, x, e, 6);
  double sum = 0;
  for (int i = 0; i < 6; ++i) {
    RG_NEAR(d[i], exp(x[i] - twoPass(x, 6)));
    RG_NEAR(e[i], d[i]);
    sum += d[i];
  }
  RG_NEAR(sum, 1);
  double a[3] = {0.1, -0.2, 0.3}, m[3] = {-1, 0, 1.5}, s[3] = {0, 0.2, -0.3};
  double da[3] = {0}, dm[3] = {0}, ds[3] = {0}, v[3] = {0, 1, 0};
  __enzyme_autodiff((void *)mixture, a, da, m, dm, s, ds, enzyme_const, x, 3, 6);
  RG_GRADS(da, mixture(a, m, s, x, 3, 6), a, 3);
  RG_GRADS(dm, mixture(a, m, s, x, 3, 6), m, 3);
  RG_GRADS(ds, mixture(a, m, s, x, 3, 6), s, 3);
  RG_NEAR(__enzyme_fwddiff((void *)mixture, enzyme_const, a, m, v, enzyme_const, s,
                           enzyme_const, x, 3, 6), dm[1]);
  return rgReport();
}
