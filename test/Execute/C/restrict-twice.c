// Memory that is only read, handed over twice as restrict, and so is its shadow, which is written.
#include <math.h>
#include <stdio.h>
extern int enzyme_dup;
void __enzyme_autodiff(void *, ...);
void __enzyme_fwddiff(void *, ...);

void product(const double *restrict a, const double *restrict b, double *restrict out, int n) {
  for (int i = 0; i < n; ++i)
    out[i] += a[i] * sin(b[n - 1 - i]) + b[i];
}
// RG-SWITCHES: alias-scopes disjoint-arguments access-order reorder-sums
int main(void) {
  enum { N = 37 };
  double x[N], dx[N], out[N], dout[N];
  for (int i = 0; i < N; ++i)
    x[i] = 0.1 * i - 1, dx[i] = 0, out[i] = 0, dout[i] = 1 + i;
  __enzyme_autodiff((void *)product, enzyme_dup, x, dx, enzyme_dup, x, dx, enzyme_dup, out, dout, N);
  int bad = 0;
  for (int i = 0; i < N; ++i) {
    // out[i] reads x[i] twice, out[N - 1 - i] reads it once.
    double right = dout[i] * (sin(x[N - 1 - i]) + 1) + dout[N - 1 - i] * x[N - 1 - i] * cos(x[i]);
    if (!(fabs(dx[i] - right) < 1e-12))
      ++bad, printf("dx[%d] = %g, not %g\n", i, dx[i], right);
    if (dout[i] != 1 + i)
      ++bad, printf("dout[%d] = %g\n", i, dout[i]);
  }
  return bad;
}
