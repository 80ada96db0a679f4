// Absolute values, signs set and signs flipped by masks, on vectors that are loaded as integers: Eigen's pabs of 512 bits, and
// its products with the conjugate.
#include "rgtest.h"
#include <math.h>
#include <string.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
typedef long long Words __attribute__((vector_size(32)));
typedef double Numbers __attribute__((vector_size(32)));
typedef unsigned Ints __attribute__((vector_size(16)));
typedef float Floats __attribute__((vector_size(16)));

static double greatest(const double *x, int n) {
  Numbers most = {0};
  for (int i = 0; i < n; i += 4) {
    Words w;
    memcpy(&w, x + i, sizeof w);
    Numbers size = (Numbers)(w & 0x7fffffffffffffff);
    for (int k = 0; k < 4; ++k)
      most[k] = most[k] < size[k] ? size[k] : most[k];
  }
  return most[0] + 2 * most[1] + 3 * most[2] + 4 * most[3];
}
static double conjugate(const double *x, int n) {
  double sum = 0;
  const Words second = {0, (long long)(1ull << 63), 0, (long long)(1ull << 63)};
  for (int i = 0; i + 4 < n; i += 4) {
    Words w;
    Numbers v;
    memcpy(&w, x + i, sizeof w);
    memcpy(&v, x + i + 4, sizeof v);
    Numbers product = (Numbers)(w ^ second) * v;
    sum += product[0] - product[1] * product[2] + product[3] * 3;
  }
  return sum;
}
static double negative(const double *x, int n) {
  float f[16];
  for (int i = 0; i < n; ++i)
    f[i] = (float)(x[i] * x[i] - 1);
  double sum = 0;
  for (int i = 0; i < n; i += 4) {
    Ints w;
    memcpy(&w, f + i, sizeof w);
    Floats v = (Floats)(w | 0x80000000u);
    for (int k = 0; k < 4; ++k)
      sum += (i + k + 1) * v[k];
  }
  return sum;
}

static void check(double (*f)(const double *, int), double reverse, double forward, const double *x, const double *t, double h) {
  double there[2], y[16];
  for (int s = 0; s < 2; ++s) {
    for (int i = 0; i < 16; ++i)
      y[i] = x[i] + (s ? -h : h) * t[i];
    there[s] = f(y, 16);
  }
  RG_WITHIN(forward, reverse, 1e-5 * (1 + fabs(reverse)));
  RG_WITHIN((there[0] - there[1]) / (2 * h), reverse, 1e3 * h);
}
#define CHECK(F, H)                                                                                                    \
  {                                                                                                                    \
    double d[16] = {0}, along = 0;                                                                                     \
    __enzyme_autodiff((void *)F, x, d, 16);                                                                            \
    for (int i = 0; i < 16; ++i)                                                                                       \
      along += d[i] * t[i];                                                                                            \
    check(F, along, __enzyme_fwddiff((void *)F, x, t, 16), x, t, H);                                                   \
  }

int main(void) {
  double x[16], t[16];
  for (int i = 0; i < 16; ++i) {
    x[i] = (i * 37 % 17) * 0.25 - 1.9;
    t[i] = sin(i + 0.5);
  }
  CHECK(greatest, 1e-6)
  CHECK(conjugate, 1e-6)
  CHECK(negative, 1e-3)
  return rgReport();
}
