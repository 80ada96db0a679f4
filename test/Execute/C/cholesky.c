// Cholesky factorisation in place, log-determinant and a solve with the factor.
#include "rgtest.h"
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
#define N 4

static void factor(double a[N][N]) {
  for (int j = 0; j < N; ++j) {
    for (int k = 0; k < j; ++k)
      a[j][j] -= a[j][k] * a[j][k];
    a[j][j] = sqrt(a[j][j]);
    for (int i = j + 1; i < N; ++i) {
      for (int k = 0; k < j; ++k)
        a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
  }
}
static double likelihood(const double *in, const double *r) {
  double a[N][N], y[N], s = 0;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      a[i][j] = 0.5 * (in[i * N + j] + in[j * N + i]);
  factor(a);
  for (int i = 0; i < N; ++i) {
    y[i] = r[i];
    for (int k = 0; k < i; ++k)
      y[i] -= a[i][k] * y[k];
    y[i] /= a[i][i];
    s += 0.5 * y[i] * y[i] + log(a[i][i]);
  }
  return s;
}

int main(void) {
  double a[N * N], d[N * N] = {0}, r[N] = {1, -0.5, 2, 0.25}, dr[N] = {0};
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j)
      a[i * N + j] = 1.0 / (1 + i + j) + (i == j ? 2 : 0);
  __enzyme_autodiff((void *)likelihood, a, d, r, dr);
  RG_GRADS(d, likelihood(a, r), a, N * N);
  RG_GRADS(dr, likelihood(a, r), r, N);
  double v[N * N] = {0}, w[N] = {0};
  v[5] = 1;
  RG_NEAR(__enzyme_fwddiff((void *)likelihood, a, v, r, w), d[5]);
  return rgReport();
}
