// Eight bytes that are pointers to one caller and numbers to the next, passed in
// registers of integers: as arguments, as results, and exchanged in memory.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <string.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
__attribute__((noinline)) static void swap8(void *a, void *b) {
  long t, u;
  memcpy(&t, a, 8);
  memcpy(&u, b, 8);
  memcpy(a, &u, 8);
  memcpy(b, &t, 8);
}
__attribute__((noinline)) static void rotate(void *base, int n) {
  for (char *p = base; n > 1; --n, p += 8)
    swap8(p, p + 8);
}
static double rotated(double *x, int n) {
  double v[4], *q[4];
  for (int i = 0; i < n; i++) {
    v[i] = x[i] * x[i];
    q[i] = &x[n - 1 - i];
  }
  rotate(v, n);
  rotate(q, n);
  double r = 0;
  for (int i = 0; i < n; i++)
    r += v[i] * (i + 1) * *q[i];
  return r;
}
__attribute__((noinline)) static long get(const void *p) {
  long t;
  memcpy(&t, p, 8);
  return t;
}
__attribute__((noinline)) static void put(void *p, long t) { memcpy(p, &t, 8); }
static double passed(double *x, int n) {
  double a = x[0] * x[1], b, *p = &x[2], *q;
  put(&b, get(&a));
  put(&q, get(&p));
  return b * b + *q * x[n - 1];
}
int main(void) {
  double x[4] = {1, 2, 3, 4};
#define CHECK(F)                                                               \
  {                                                                            \
    double d[4] = {0}, t[4] = {0, 1, 0, 0};                                    \
    __enzyme_autodiff((void *)F, x, d, 4);                                     \
    RG_GRADS(d, F(x, 4), x, 4);                                                \
    RG_NEAR(__enzyme_fwddiff((void *)F, x, t, 4), d[1]);                       \
  }
  CHECK(rotated)
  CHECK(passed)
  return rgReport();
}
