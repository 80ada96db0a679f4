// Several outputs through pointers, some of them not wanted, beside a returned
// value and an int output.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const, enzyme_out, enzyme_dupnoneed;

static double f(double x, const double *a, int *count, double *sum, float *mean) {
  double s = 0;
  *count = 0;
  for (int i = 0; i < 3; ++i) {
    s += a[i] * x;
    ++*count;
  }
  *sum = s;
  *mean = (float)(s / *count);
  return s * s;
}
static double objective(double x, const double *a, double wr, double ws, double wm) {
  int count;
  double sum;
  float mean;
  double r = f(x, a, &count, &sum, &mean);
  // sum/3 and not mean: a float would spoil the difference.
  return wr * r + ws * sum + wm * (sum / count);
}

int main(void) {
  double x = 1.5, a[3] = {1, -0.5, 2}, da[3] = {0};
  int count = -1;
  double sum, dsum = 3;
  float mean, dmean = 6;
  double dx = __enzyme_autodiff((void *)f, enzyme_out, x, enzyme_dup, a, da,
                                enzyme_const, &count, enzyme_dup, &sum, &dsum,
                                enzyme_dup, &mean, &dmean);
  RG_TRUE(count == 3);
  RG_NEAR(sum, 3.75);
  RG_NEARF(mean, 1.25);
  RG_GRAD(dx, objective(x, a, 1, 3, 6), x);
  RG_GRADS(da, objective(x, a, 1, 3, 6), a, 3);
  double v[3] = {1, 0, 0}, tsum = 0;
  float tmean = 0;
  double t = __enzyme_fwddiff((void *)f, enzyme_dup, x, 0.0, enzyme_dup, a, v,
                              enzyme_const, &count, enzyme_dup, &sum, &tsum,
                              enzyme_dup, &mean, &tmean);
  RG_NEAR(t, 2 * 3.75 * 1.5);
  RG_NEAR(tsum, 1.5);
  RG_NEARF(tmean, 0.5);
  return rgReport();
}
