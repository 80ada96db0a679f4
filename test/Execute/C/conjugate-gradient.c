// Conjugate gradients until the residual is small: an unknown number of
// iterations over vectors on the heap, with a call for the operator.
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

__attribute__((noinline)) static void apply(const double *k, const double *x,
                                            double *y, int n) {
  for (int i = 0; i < n; ++i) {
    y[i] = (k[i] + k[i + 1]) * x[i];
    if (i > 0)
      y[i] -= k[i] * x[i - 1];
    if (i + 1 < n)
      y[i] -= k[i + 1] * x[i + 1];
  }
}
static double dot(const double *a, const double *b, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += a[i] * b[i];
  return s;
}
static double compliance(const double *k, const double *load, int n) {
  double *x = calloc(n, sizeof *x), *r = malloc(n * sizeof *r);
  double *p = malloc(n * sizeof *p), *q = malloc(n * sizeof *q);
  memcpy(r, load, n * sizeof *r);
  memcpy(p, load, n * sizeof *p);
  double rr = dot(r, r, n);
  int steps = 0;
  while (rr > 1e-24 && steps++ < 50) {
    apply(k, p, q, n);
    double alpha = rr / dot(p, q, n);
    for (int i = 0; i < n; ++i) {
      x[i] += alpha * p[i];
      r[i] -= alpha * q[i];
    }
    double next = dot(r, r, n), beta = next / rr;
    for (int i = 0; i < n; ++i)
      p[i] = r[i] + beta * p[i];
    rr = next;
  }
  double s = dot(load, x, n);
  free(x);
  free(r);
  free(p);
  free(q);
  return s;
}

int main(void) {
  double k[7] = {1, 2, 1.5, 0.5, 2.5, 1, 3}, dk[7] = {0};
  double load[6] = {1, -0.5, 2, 0.25, 1, 1}, dload[6] = {0};
  __enzyme_autodiff((void *)compliance, k, dk, load, dload, 6);
  for (int i = 0; i < 7; ++i)
    RG_WITHIN(dk[i], RG_DIFF(compliance(k, load, 6), k[i]), 1e-6);
  for (int i = 0; i < 6; ++i)
    RG_WITHIN(dload[i], RG_DIFF(compliance(k, load, 6), load[i]), 1e-6);
  double v[7] = {0, 0, 1, 0, 0, 0, 0}, w[6] = {0};
  RG_WITHIN(__enzyme_fwddiff((void *)compliance, k, v, load, w, 6), dk[2], 1e-6);
  return rgReport();
}
