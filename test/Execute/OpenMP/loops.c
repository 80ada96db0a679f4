// Worksharing loops: results in shared memory, private copies, several loops in one
// region, a region in a time loop, a number that all threads get by value.
// RG-FLAGS: -fopenmp
// RG-THREADS: 1 2 3 8
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;

static void map(const double *x, double *y, int n, double a) {
#pragma omp parallel for firstprivate(a)
  for (int i = 0; i < n; ++i) {
    double t = sin(x[i]) * x[(i + 1) % n];
    y[i] = a * t * t;
  }
}
static double viaMap(const double *x, int n, double a) {
  double *y = malloc(n * sizeof *y), s = 0;
  map(x, y, n, a);
  for (int i = 0; i < n; ++i)
    s += y[i] * (i + 1) + 0.1 * y[i] * y[i];
  free(y);
  return s;
}
static double phases(const double *x, int n, double a) {
  double *y = malloc(n * sizeof *y), *z = malloc(n * sizeof *z), s = 0;
#pragma omp parallel
  {
    double mine = a;
#pragma omp for
    for (int i = 0; i < n; ++i)
      y[i] = mine * exp(-x[i]);
#pragma omp for
    for (int i = 0; i < n; ++i)
      z[i] = y[i] * y[n - 1 - i];
#pragma omp for nowait
    for (int i = 0; i < n; ++i)
      y[i] = z[i] + x[i] * x[n - 1 - i];
  }
  for (int i = 0; i < n; ++i)
    s += y[i] * y[i];
  free(y);
  free(z);
  return s;
}
static double sum(const double *x, int n, double a) {
  double s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; ++i)
    s += a * x[i] * x[i] * sin(x[i]);
  return s * s;
}
static double steps(const double *x, int n, double a) {
  double u[64], v[64], s = 0;
  for (int i = 0; i < n; ++i)
    u[i] = x[i];
  for (int t = 0; t < 5; ++t) {
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
      v[i] = u[i] + a * u[i] * (u[i ? i - 1 : n - 1] - u[i + 1 < n ? i + 1 : 0]);
#pragma omp parallel for
    for (int i = 0; i < n; ++i)
      u[i] = v[i];
  }
  for (int i = 0; i < n; ++i)
    s += u[i] * u[i] * (i + 1);
  return s;
}
#define CHECK(f)                                                               \
  do {                                                                         \
    double d[37] = {0}, a = 0.3;                                               \
    __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, n, enzyme_const, a);       \
    RG_GRADS(d, f(x, n, a), x, n);                                             \
    RG_GRAD(__enzyme_autodiff((void *)f, enzyme_const, x, enzyme_const, n, a), f(x, n, a), a); \
    double e[37], s = 0, ds = 0;                                                        \
    for (int i = 0; i < n; ++i) e[i] = sin(i), ds += e[i] * d[i];                \
    s = __enzyme_fwddiff((void *)f, enzyme_dup, x, e, enzyme_const, n, enzyme_const, a); \
    RG_NEAR(s, ds);                                                            \
  } while (0)
int main(void) {
  int n = 37;
  double x[37];
  for (int i = 0; i < n; ++i)
    x[i] = 0.5 + 0.3 * cos(i);
  CHECK(viaMap);
  CHECK(phases);
  CHECK(sum);
  CHECK(steps);
  return rgReport();
}
