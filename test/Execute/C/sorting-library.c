// qsort and bsearch of active data: numbers, records, keys.
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
static int up(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
static int down(const void *a, const void *b) { return up(b, a); }
struct item {
  int id;
  double v, w;
};
static int byV(const void *a, const void *b) {
  double x = ((const struct item *)a)->v, y = ((const struct item *)b)->v;
  return (x > y) - (x < y);
}
double sorted(double *x, int n) {
  double t[8];
  for (int i = 0; i < n; ++i)
    t[i] = sin(3 * x[i]);
  qsort(t, n, sizeof *t, n > 4 ? up : down);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += (i + 1) * t[i] * t[i];
  return s;
}
double inPlace(double *x, int n) {
  double *t = malloc(n * sizeof *t);
  for (int i = 0; i < n; ++i)
    t[i] = x[i];
  qsort(t, n, sizeof *t, up);
  double s = t[0] * t[1] + 2 * t[2];
  free(t);
  return s;
}
double records(double *x, int n) {
  struct item t[8];
  for (int i = 0; i < n; ++i) {
    t[i].id = i;
    t[i].v = cos(5 * x[i]);
    t[i].w = x[i] * x[(i + 1) % n];
  }
  qsort(t, n, sizeof *t, byV);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += (i + 1) * t[i].w * t[i].v + t[i].id * t[i].w;
  struct item key = {0, t[2].v, 0};
  struct item *f = bsearch(&key, t, n, sizeof *t, byV);
  return s + f->w * f->w;
}
double found(double *x, int n) {
  double a[4] = {1, 2, 3, 4}, w[4] = {x[0], x[1], x[0] * x[1], 3};
  double key = n;
  double *f = bsearch(&key, a, 4, sizeof *a, up);
  return f ? w[f - a] * x[2] : x[1];
}
int main(void) {
  double x[6] = {0.4, 1.3, 0.7, 1.1, 0.3, 0.9};
#define CHECK(f, n)                                                            \
  do {                                                                         \
    double d[6] = {0};                                                         \
    __enzyme_autodiff((void *)f, x, d, n);                                     \
    RG_GRADS(d, f(x, n), x, 6);                                                \
    for (int i = 0; i < 6; ++i) {                                              \
      double e[6] = {0};                                                       \
      e[i] = 1;                                                                \
      RG_GRAD(__enzyme_fwddiff((void *)f, x, e, n), f(x, n), x[i]);            \
    }                                                                          \
  } while (0)
  CHECK(sorted, 6);
  CHECK(sorted, 4);
  CHECK(inPlace, 6);
  CHECK(records, 6);
  CHECK(found, 3);
  CHECK(found, 7);
  return rgReport();
}
