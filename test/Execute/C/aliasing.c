// The same memory by two names: arguments that overlap, in and out that are one
// array, a pointer into the middle.
#include "rgtest.h"
void __enzyme_autodiff(void *, ...);
void __enzyme_fwddiff(void *, ...);

static void add(const double *a, const double *b, double *out, int n) {
  for (int i = 0; i < n; ++i)
    out[i] = a[i] * b[n - 1 - i];
}
static void prefix(double *to, const double *from, int n) {
  for (int i = 0; i < n; ++i)
    to[i] = from[i] * (i ? to[i - 1] : 1) + 0.5;
}
static double viaAdd(const double *in, const double *w) {
  double x[4], s = 0;
  memcpy(x, in, sizeof x);
  add(x, x, x, 4);
  for (int i = 0; i < 4; ++i)
    s += w[i] * x[i];
  return s;
}
static double viaPrefix(const double *in, const double *w) {
  double x[5], s = 0;
  memcpy(x, in, sizeof x);
  prefix(x + 1, x, 4);
  for (int i = 0; i < 5; ++i)
    s += w[i] * x[i];
  return s;
}

int main(void) {
  double in[5] = {1.5, 2, -0.5, 0.75, 1}, w[5] = {1, -2, 0.5, 3, 0.25};
  double x[5], d[5];
  memcpy(x, in, sizeof x);
  memcpy(d, w, sizeof d);
  __enzyme_autodiff((void *)add, x, d, x, d, x, d, 4);
  RG_GRADS(d, viaAdd(in, w), in, 4);
  memcpy(x, in, sizeof x);
  memcpy(d, w, sizeof d);
  __enzyme_autodiff((void *)prefix, x + 1, d + 1, x, d, 4);
  RG_GRADS(d, viaPrefix(in, w), in, 5);
  double t[5] = {0, 1, 0, 0, 0}, s = 0;
  memcpy(x, in, sizeof x);
  __enzyme_fwddiff((void *)prefix, x + 1, t + 1, x, t, 4);
  for (int i = 0; i < 5; ++i)
    s += w[i] * t[i];
  RG_NEAR(s, d[1]);
  return rgReport();
}
