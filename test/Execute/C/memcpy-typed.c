// RG-LEVELS: O0 O1 O2 O3 Os fast g
// memcpy of arrays of one type: constant and variable lengths, parts of arrays,
// between heap and stack, back and forth, into the middle.
#include "rgtest.h"
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double constantLength(const double *x) {
  double a[4], b[4];
  memcpy(a, x, sizeof a);
  a[1] *= a[0];
  memcpy(b, a, sizeof b);
  b[0] = 3;
  return a[0] * a[1] + b[0] * b[1] * b[2] * b[3];
}
static double variableLength(const double *x, int n) {
  double a[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  memcpy(a + 2, x, n * sizeof(double));
  memcpy(a, a + 4, 2 * sizeof(double));
  double s = 0;
  for (int i = 0; i < 8; ++i)
    s += a[i] * a[i] * i;
  return s + a[0] * a[7];
}
static double floats(const float *x, int n) {
  float a[8];
  memcpy(a, x, n * sizeof *a);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += a[i] * x[n - 1 - i];
  return s;
}
static double throughHeap(const double *x, int n) {
  double *h = malloc(n * sizeof(double)), s = 0;
  for (int t = 0; t < 3; ++t) {
    memcpy(h, x, n * sizeof(double));
    for (int i = 1; i < n; ++i)
      h[i] *= h[i - 1];
    s = s * h[0] + h[n - 1];
  }
  free(h);
  return s;
}

int main(void) {
  double x[6] = {1.5, -0.5, 2, 0.25, 1.25, -1}, d[6] = {0};
  __enzyme_autodiff((void *)constantLength, x, d);
  RG_GRADS(d, constantLength(x), x, 4);
  for (int n = 0; n <= 6; n += 3) {
    double e[6] = {0};
    __enzyme_autodiff((void *)variableLength, x, e, n);
    RG_GRADS(e, variableLength(x, n), x, 6);
    double v[6] = {0, 0, 1, 0, 0, 0};
    RG_NEAR(__enzyme_fwddiff((void *)variableLength, x, v, n), e[2]);
  }
  double h[6] = {0};
  __enzyme_autodiff((void *)throughHeap, x, h, 5);
  RG_GRADS(h, throughHeap(x, 5), x, 6);
  float f[3] = {1, 2, 4}, df[3] = {0};
  __enzyme_autodiff((void *)floats, f, df, 3);
  RG_NEARF(df[0], 8);
  RG_NEARF(df[1], 4);
  return rgReport();
}
