// Divide and conquer over memory: a pairwise sum that overwrites its input, a
// merge of halves through a scratch array, a recursive cumulative product.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;

static double pairwise(double *x, int n) {
  if (n == 1)
    return x[0] * x[0];
  int h = n / 2;
  for (int i = 0; i < h; ++i)
    x[i] = x[i] * x[n - 1 - i] * 0.5;
  return pairwise(x, n - h) + x[0];
}
static void haar(double *x, double *tmp, int n) {
  if (n < 2)
    return;
  int h = n / 2;
  for (int i = 0; i < h; ++i) {
    tmp[i] = (x[2 * i] + x[2 * i + 1]) * 0.5;
    tmp[h + i] = (x[2 * i] - x[2 * i + 1]) * 0.5;
  }
  for (int i = 0; i < n; ++i)
    x[i] = tmp[i];
  haar(x, tmp, h);
}
static double energy(const double *in, int n) {
  double x[16], tmp[16], s = 0;
  for (int i = 0; i < n; ++i)
    x[i] = in[i] * in[i];
  haar(x, tmp, n);
  for (int i = 0; i < n; ++i)
    s += x[i] * x[i] * x[i];
  return s;
}
static double pairwiseOfCopy(const double *in, int n) {
  double x[16];
  for (int i = 0; i < n; ++i)
    x[i] = in[i];
  return pairwise(x, n);
}

int main(void) {
  double x[8] = {1.5, -0.5, 2, 0.25, 1.25, -1, 0.75, 1}, dx[8] = {0}, de[8] = {0};
  __enzyme_autodiff((void *)pairwiseOfCopy, x, dx, 8);
  RG_GRADS(dx, pairwiseOfCopy(x, 8), x, 8);
  __enzyme_autodiff((void *)energy, x, de, 8);
  RG_GRADS(de, energy(x, 8), x, 8);
  double v[8] = {0, 0, 0, 1, 0, 0, 0, 0};
  RG_NEAR(__enzyme_fwddiff((void *)energy, x, v, 8), de[3]);
  return rgReport();
}
