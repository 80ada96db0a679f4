// Tasks add to copies of their own what they add often, and the copies to the shadows when they are reversed: with
// dependences, in groups, within tasks that wait, in a critical region, where a task writes what it reads, in loops of tasks.
// RG-FLAGS: -fopenmp
// RG-THREADS: 1 2 3 8
#include "rgopenmp.h"
#include <string.h>
enum { ROWS = 6 };
// All read all numbers, often.
static double pairs(const double *x, int n) {
  double v[N], r = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(3)
  for (int i = 0; i < n; ++i) {
    double s = 0;
    for (int k = 0; k < 4; ++k)
      for (int j = 0; j < n; ++j)
        s += sin(x[i] * x[j]) * (k + 1);
    v[i] = s;
  }
  for (int i = 0; i < n; ++i)
    r += v[i] * (1 + i % 3);
  return r;
}
// Floats, and places by index.
static double gathered(const double *x, int n) {
  float f[N], v[N];
  int at[N];
  double r = 0;
  for (int i = 0; i < n; ++i)
    f[i] = (float)x[i], at[i] = (7 * i + 3) % n;
#pragma omp parallel
#pragma omp single
  for (int t = 0; t < 4; ++t)
#pragma omp task firstprivate(t) shared(f, v, at)
    for (int i = t; i < n; i += 4) {
      float s = 0;
      for (int k = 0; k < 3; ++k)
        for (int j = 0; j < n; ++j)
          s += f[at[j]] * f[at[(j + k) % n]] * (float)(i + 1);
      v[i] = 0.01f * s;
    }
  for (int i = 0; i < n; ++i)
    r += v[i];
  return r;
}
// What one task reads often, the one before it has written, and the next one writes again.
static double chain(const double *x, int n) {
  double a[N], v[ROWS] = {0}, r = 0;
  memcpy(a, x, sizeof a);
#pragma omp parallel
#pragma omp single
  for (int t = 0; t < ROWS; ++t) {
#pragma omp task firstprivate(t) shared(a, v) depend(in : a) depend(out : v[t])
    {
      double s = 0;
      for (int k = 0; k < 5; ++k)
        for (int j = 0; j < n; ++j)
          s += a[j] * a[(j + k) % n];
      v[t] = s;
    }
#pragma omp task firstprivate(t) shared(a, v) depend(inout : a) depend(in : v[t])
    for (int j = 0; j < n; ++j)
      a[j] = a[j] * 0.9 + 0.001 * v[t];
  }
  for (int t = 0; t < ROWS; ++t)
    r += v[t];
  for (int j = 0; j < n; ++j)
    r += a[j];
  return r;
}
// A task overwrites what it has read often, and reads it again.
static double inPlace(const double *x, int n) {
  double a[4][N], r = 0;
  for (int t = 0; t < 4; ++t)
    memcpy(a[t], x, sizeof a[t]);
#pragma omp parallel
#pragma omp single
  for (int t = 0; t < 4; ++t)
#pragma omp task firstprivate(t) shared(a)
    {
      double *own = a[t];
      for (int k = 0; k < 3; ++k) {
        double s = 0;
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < n; ++j)
            s += own[j] * own[i] * x[j];
        for (int j = 0; j < n; ++j)
          own[j] = 0.5 * own[j] + 0.001 * (t + 1) * s;
      }
    }
  for (int t = 0; t < 4; ++t)
    for (int j = 0; j < n; ++j)
      r += a[t][j];
  return r;
}
// Tasks that make tasks and wait for them, and what they read between; an order by turns.
static double nested(const double *x, int n) {
  double a[N], v[4] = {0}, sum = 0;
  memcpy(a, x, sizeof a);
#pragma omp parallel
#pragma omp single
  for (int t = 0; t < 4; ++t)
#pragma omp task firstprivate(t) shared(a, v, sum)
    {
      double s = 0, left = 0;
      for (int k = 0; k < 3; ++k)
        for (int j = 0; j < n; ++j)
          s += a[j] * a[(j + t) % n];
#pragma omp task shared(left, a)
      for (int k = 0; k < 3; ++k)
        for (int j = 0; j < n; ++j)
          left += sin(a[j]);
#pragma omp taskwait
      v[t] = s * left;
#pragma omp critical
      for (int k = 0; k < 3; ++k)
        for (int j = 0; j < n; ++j)
          sum += a[j] * 0.01;
    }
  return sum + v[0] + v[1] * v[2] + v[3];
}
int main(void) {
  POINT;
  CHECK(pairs);
  CHECK(chain);
  CHECK(inPlace);
  CHECK(nested);
  double d[N] = {0};
  __enzyme_autodiff((void *)gathered, enzyme_dup, x, d, enzyme_const, N);
  for (int i = 0; i < N; ++i) {
    double h = 1e-2, at = x[i];
    x[i] = at + h;
    double above = gathered(x, N);
    x[i] = at - h;
    double below = gathered(x, N);
    x[i] = at;
    RG_WITHIN(d[i], (above - below) / (2 * h), 2e-2);
  }
  return rgReport();
}
