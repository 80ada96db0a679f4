// break, continue and return out of loops, from the inner and the outer one.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double skipping(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] < 0)
      continue;
    if (s > 20)
      break;
    s = s * 0.5 + x[i] * x[i];
  }
  return s;
}
static double search(const double *x, int n) {
  for (int i = 0; i < n; ++i) {
    double y = x[i] * 3;
    if (y > 7)
      return y * x[0];
  }
  return x[n - 1];
}
static double twoLevels(const double *x, int n) {
  double s = 1;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (j == i)
        continue;
      s += x[i] * x[j] * s * 0.125;
      if (s > 6)
        break;
      if (s < -30)
        goto out;
      if (s < -20)
        return s * 2;
    }
    s *= 0.75;
  }
out:
  return s;
}

int main(void) {
  double a[6] = {1.5, -0.5, 2, 3.25, -1.25, 1};
  double b[6] = {-1.5, 4.5, 2, -3.25, 1.25, 5};
  double *inputs[2] = {a, b};
  for (int k = 0; k < 2; ++k) {
    double *x = inputs[k];
    double d1[6] = {0}, d2[6] = {0}, d3[6] = {0};
    __enzyme_autodiff((void *)skipping, x, d1, 6);
    RG_GRADS(d1, skipping(x, 6), x, 6);
    __enzyme_autodiff((void *)search, x, d2, 6);
    RG_GRADS(d2, search(x, 6), x, 6);
    __enzyme_autodiff((void *)twoLevels, x, d3, 6);
    RG_GRADS(d3, twoLevels(x, 6), x, 6);
    double v[6] = {0, 0, 1, 0, 0, 0};
    RG_NEAR(__enzyme_fwddiff((void *)twoLevels, x, v, 6), d3[2]);
  }
  return rgReport();
}
