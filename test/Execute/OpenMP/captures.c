// What a region captures: numbers by value (also in the bits of integers), variables that it
// only reads, variables that it writes or that have a second name.
// RG-FLAGS: -fopenmp
// RG-THREADS: 1 2 3 8
#include "rgopenmp.h"
static double mixed(const double *x, int n) {
  double a = x[0] * x[1], lo = 0.4 * x[2], w = x[3], y[N], z[N], s = 0;
  float fl = x[5];
#pragma omp parallel firstprivate(lo, fl)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) {
      y[i] = a * x[i] + w;
      if (y[i] < 0.9)
        y[i] = lo;
    }
#pragma omp single
    w = y[0] * y[1];
#pragma omp for
    for (int i = 0; i < n; ++i)
      z[i] = w * y[n - 1 - i] * fl + a;
  }
  a = a * 2;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; ++i)
    s += z[i] * a * y[i];
  return s;
}
static double aliasOfShared(const double *x, int n) {
  double a = x[0], *p = &a, s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; ++i)
    s += a * *p * x[i];
#pragma omp parallel
  {
    double t = a;
#pragma omp barrier
#pragma omp master
    *p = t * t;
#pragma omp barrier
#pragma omp for reduction(+ : s)
    for (int i = 0; i < n; ++i)
      s += a * x[i] * t;
  }
  return s;
}
// clang numbers the regions of a function, from the second one on; the first one gets its operand number four by
// value, and the fifth one has operands of the same types.
static double numbered(const double *x, int n) {
  double u[N], v[N], a = x[1] * x[2], s = 0;
  for (int i = 0; i < n; ++i)
    u[i] = x[i];
#pragma omp parallel for
  for (int i = 0; i < N; ++i)
    v[i] = u[i] * a;
#pragma omp parallel for
  for (int i = 0; i < N; ++i)
    v[i] += u[i] * u[i];
#pragma omp parallel for
  for (int i = 0; i < N; ++i)
    v[i] *= u[i];
#pragma omp parallel for
  for (int i = 0; i < N; ++i)
    v[i] += sin(v[i]);
#pragma omp parallel for firstprivate(a)
  for (int i = 0; i < N; ++i)
    v[i] += u[i] * a * a;
  for (int i = 0; i < N; ++i)
    s += v[i] * v[i];
  return s;
}
int main(void) {
  POINT;
  CHECK(numbered);
  CHECK(mixed);
  CHECK(aliasOfShared);
  return rgReport();
}
