// Direct solvers: Gaussian elimination with partial pivoting (active data decide
// the row swaps), a determinant by minors with recursion, and Thomas' algorithm.
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double solve(const double *in, const double *b, int n) {
  double a[6][6], x[6];
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      a[i][j] = in[i * n + j];
    a[i][n] = b[i];
  }
  for (int k = 0; k < n; ++k) {
    int p = k;
    for (int i = k + 1; i < n; ++i)
      if (fabs(a[i][k]) > fabs(a[p][k]))
        p = i;
    if (p != k)
      for (int j = 0; j <= n; ++j) {
        double t = a[k][j];
        a[k][j] = a[p][j];
        a[p][j] = t;
      }
    for (int i = k + 1; i < n; ++i) {
      double l = a[i][k] / a[k][k];
      for (int j = k; j <= n; ++j)
        a[i][j] -= l * a[k][j];
    }
  }
  double s = 0;
  for (int i = n - 1; i >= 0; --i) {
    x[i] = a[i][n];
    for (int j = i + 1; j < n; ++j)
      x[i] -= a[i][j] * x[j];
    x[i] /= a[i][i];
    s += x[i] * (i + 1);
  }
  return s;
}
static double minors(const double *a, int n) {
  if (n == 1)
    return a[0];
  double *m = malloc((n - 1) * (n - 1) * sizeof *m), det = 0;
  for (int c = 0; c < n; ++c) {
    for (int i = 1; i < n; ++i)
      for (int j = 0, k = 0; j < n; ++j)
        if (j != c)
          m[(i - 1) * (n - 1) + k++] = a[i * n + j];
    double d = a[c] * minors(m, n - 1);
    det += c % 2 ? -d : d;
  }
  free(m);
  return det;
}
static double thomas(const double *l, const double *d, const double *r, int n) {
  double c[8], y[8];
  c[0] = 1 / d[0];
  y[0] = r[0] / d[0];
  for (int i = 1; i < n; ++i) {
    double m = d[i] - l[i] * c[i - 1];
    c[i] = 1 / m;
    y[i] = (r[i] - l[i] * y[i - 1]) / m;
  }
  for (int i = n - 2; i >= 0; --i)
    y[i] -= c[i] * y[i + 1];
  return y[0] * y[n / 2];
}

int main(void) {
  double a[16] = {0.5, 2, 1, -1, 3, 1, 0.5, 2, -1, 0.25, 4, 1, 1, 1.5, -2, 2};
  double b[4] = {1, 2, -1, 0.5}, da[16] = {0}, db[4] = {0}, dm[16] = {0}, v[16] = {0};
  __enzyme_autodiff((void *)solve, a, da, b, db, 4);
  RG_GRADS(da, solve(a, b, 4), a, 16);
  RG_GRADS(db, solve(a, b, 4), b, 4);
  __enzyme_autodiff((void *)minors, a, dm, 4);
  RG_GRADS(dm, minors(a, 4), a, 16);
  v[6] = 1;
  RG_NEAR(__enzyme_fwddiff((void *)minors, a, v, 4), dm[6]);
  double l[5] = {0, 1, 0.5, 1, 0.25}, d[5] = {3, 4, 3.5, 5, 4}, r[5] = {1, 2, 3, 4, 5};
  double dl[5] = {0}, dd[5] = {0}, dr[5] = {0};
  __enzyme_autodiff((void *)thomas, l, dl, d, dd, r, dr, 5);
  RG_GRADS(dl, thomas(l, d, r, 5), l, 5);
  RG_GRADS(dd, thomas(l, d, r, 5), d, 5);
  RG_GRADS(dr, thomas(l, d, r, 5), r, 5);
  return rgReport();
}
