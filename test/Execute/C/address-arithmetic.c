// Addresses computed as integers, aligned by masks, tagged in their low bits.
#include "rgtest.h"
#include <stdint.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

double offset(double *x) {
  double a[8], s = 0;
  for (int i = 0; i < 8; i++)
    a[i] = x[i % 2] * i;
  double *q = (double *)((uintptr_t)a + 16);
  s = q[1] * q[0];
  q = (double *)((uintptr_t)(a + 6) - 8 * (int)x[1]);
  return s + q[0] * q[1];
}
double aligned(double *x) {
  double s = 0;
  for (int k = 0; k < 4; k++) {
    char *raw = malloc(256 + k * 8);
    double *a = (double *)(((uintptr_t)raw + 63) & ~(uintptr_t)63);
    for (int i = 0; i < 4; i++)
      a[i] = x[i % 2] * (i + k);
    double *b = __builtin_align_down((double *)a + 2, 32);
    s += a[0] * a[1] + b[2] * b[3] * a[3];
    free(raw);
  }
  return s;
}
double tagged(double *x) {
  double s = 0;
  for (int k = 0; k < 4; k++) {
    double v = x[0] * x[1];
    uintptr_t t = (uintptr_t)&v | (k & 1 ? 1 : 0);
    double *p = (double *)(t & ~(uintptr_t)7);
    *p += x[k & 1];
    s += (t & 1) ? v * v : v;
  }
  return s;
}
#define CHECK(f)                                                               \
  do {                                                                         \
    double x[2] = {0.8, 1.7}, d[2] = {0}, e0[2] = {1, 0}, e1[2] = {0, 1};      \
    __enzyme_autodiff((void *)f, x, d);                                        \
    RG_GRADS(d, f(x), x, 2);                                                   \
    RG_GRAD(__enzyme_fwddiff((void *)f, x, e0), f(x), x[0]);                   \
    RG_GRAD(__enzyme_fwddiff((void *)f, x, e1), f(x), x[1]);                   \
  } while (0)
int main(void) {
  CHECK(offset);
  CHECK(aligned);
  CHECK(tagged);
  return rgReport();
}
