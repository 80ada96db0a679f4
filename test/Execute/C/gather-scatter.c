// Integer arrays that index active arrays: gather, scatter with collisions,
// permutation, histogram, compressed rows.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_const, enzyme_dup;

static double gather(const double *x, const int *index, int n) {
  double s = 1;
  for (int i = 0; i < n; ++i)
    s = s * 0.5 + x[index[i]] * x[i];
  return s;
}
static void scatter(const double *x, const int *index, int n, double *out) {
  for (int i = 0; i < n; ++i)
    out[index[i]] += x[i] * x[i];
}
static double sparse(const double *values, const int *columns, const int *start,
                     const double *v, int rows) {
  double s = 0;
  for (int r = 0; r < rows; ++r) {
    double y = 0;
    for (int k = start[r]; k < start[r + 1]; ++k)
      y += values[k] * v[columns[k]];
    s += y * y;
  }
  return s;
}
static double permute(const double *in, int n) {
  double x[8];
  for (int i = 0; i < n; ++i)
    x[i] = in[i];
  for (int i = 0, j = 0; i < n; ++i) { // bit reversal
    if (i < j) {
      double t = x[i];
      x[i] = x[j];
      x[j] = t;
    }
    int m = n >> 1;
    while (m >= 1 && (j & m)) {
      j ^= m;
      m >>= 1;
    }
    j |= m;
  }
  double s = 0;
  for (int i = 0; i < n; ++i)
    s = s * x[i] + i;
  return s;
}

int main(void) {
  double x[8] = {1.5, -0.5, 2, 0.25, 1.25, -1, 0.75, 1};
  int index[5] = {3, 0, 3, 1, 4};
  double d[8] = {0}, e[8] = {0}, out[5] = {0}, dout[5] = {1, 2, 3, 4, 5};
  __enzyme_autodiff((void *)gather, enzyme_dup, x, d, enzyme_const, index, 5);
  RG_GRADS(d, gather(x, index, 5), x, 8);
  __enzyme_autodiff((void *)scatter, enzyme_dup, x, e, enzyme_const, index, 5,
                    enzyme_dup, out, dout);
  for (int i = 0; i < 5; ++i)
    RG_NEAR(e[i], 2 * x[i] * (index[i] + 1));
  double values[5] = {1, 2, 3, 4, 5}, dvalues[5] = {0}, dv[3] = {0};
  int columns[5] = {0, 2, 1, 0, 1}, start[4] = {0, 2, 3, 5};
  __enzyme_autodiff((void *)sparse, values, dvalues, enzyme_const, columns,
                    enzyme_const, start, x, dv, 3);
  RG_GRADS(dvalues, sparse(values, columns, start, x, 3), values, 5);
  RG_GRADS(dv, sparse(values, columns, start, x, 3), x, 3);
  double p[8] = {0}, v[8] = {0, 0, 0, 1, 0, 0, 0, 0};
  __enzyme_autodiff((void *)permute, x, p, 8);
  RG_GRADS(p, permute(x, 8), x, 8);
  RG_NEAR(__enzyme_fwddiff((void *)permute, x, v, 8), p[3]);
  return rgReport();
}
