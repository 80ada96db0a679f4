// Pointers that are sorted, and whose distances are indices: LLVM loads each as a word, for both uses.
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>

double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

enum { N = 4 };

static int by_value(const void *a, const void *b) {
  double u = **(double *const *)a, v = **(double *const *)b;
  return (u > v) - (u < v);
}

double sorted(const double *x) {
  double v[N], *p[N];
  for (int i = 0; i < N; ++i) {
    v[i] = cos(x[i]) * x[i];
    p[i] = &v[i];
  }
  qsort(p, N, sizeof *p, by_value);
  double s = 0;
  for (int i = 0; i < N; ++i) {
    *p[i] *= i + 1;
    s += *p[i] * x[p[i] - v];
  }
  return s;
}

// The order of two places, and the greater one moved on.
double ordered(const double *x) {
  double v[N], *p[N], *last = v;
  for (int i = 0; i < N; ++i) {
    v[i] = x[i] * x[i];
    p[(3 * i + 1) % N] = &v[i];
  }
  double s = 0;
  for (int i = 0; i < N; ++i) {
    double *q[1];
    memcpy(q, &p[i], sizeof *q);
    if (*q > last) {
      last = *q;
      p[(i + 1) % N] = last;
    }
    **q += 0.5 * *last;
    s += **q * (*q - v + 1);
  }
  return s;
}

static void check(double (*f)(const double *), const double *reverse, const double *forward, double *x) {
  for (int i = 0; i < N; ++i) {
    RG_GRAD(reverse[i], f(x), x[i]);
    RG_GRAD(forward[i], f(x), x[i]);
  }
}

#define CHECK(f)                                                               \
  do {                                                                         \
    double x[N] = {0.7, 1.3, -0.4, 2.1}, d[N] = {0}, t[N];                     \
    __enzyme_autodiff((void *)f, x, d);                                        \
    for (int i = 0; i < N; ++i) {                                              \
      double e[N] = {0};                                                       \
      e[i] = 1;                                                                \
      t[i] = __enzyme_fwddiff((void *)f, x, e);                                \
    }                                                                          \
    check(f, d, t, x);                                                         \
  } while (0)

int main(void) {
  CHECK(sorted);
  CHECK(ordered);
  return rgReport();
}
