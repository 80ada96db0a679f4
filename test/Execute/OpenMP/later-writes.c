// In a team, another thread may write what a called function has read, behind the next barrier, while this one is in the same region or in the next (lib/Analysis/LaterWrites.h).
// RG-FLAGS: -fopenmp
// RG-THREADS: 1 2 3 8
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
#define APART __attribute__((noinline)) static

enum { N = 24 };
APART double pick(const double *a, const int *at, int i) { return sin(a[at[i]] + 0.3 * at[i]); }
static void numbers(double *a, double x) {
  for (int i = 0; i < N; ++i)
    a[i] = x * (i + 1) * 0.1 + sin(x * i);
}
static void places(int *at, int shift) {
  for (int i = 0; i < N; ++i)
    at[i] = (i * 5 + shift) % N;
}
// Nobody writes the table.
static double stays(double x) {
  double a[N], r = 0;
  int *at = malloc(N * sizeof *at);
  numbers(a, x), places(at, 1);
  for (int k = 0; k < 3; ++k) {
#pragma omp parallel for reduction(+ : r)
    for (int i = 0; i < N; ++i)
      r += pick(a, at, i);
    for (int i = 0; i < N; ++i)
      a[i] = sin(a[i]) * x;
  }
  free(at);
  return r;
}
// Behind a barrier, threads write each other's places.
static double behindBarrier(double x) {
  double a[N], r = 0;
  int at[N];
  numbers(a, x), places(at, 2);
#pragma omp parallel reduction(+ : r)
  {
    for (int k = 0; k < 3; ++k) {
#pragma omp for
      for (int i = 0; i < N; ++i)
        r += pick(a, at, i) * (k + 1);
#pragma omp for schedule(static, 1)
      for (int i = 0; i < N; ++i)
        at[N - 1 - i] = (at[N - 1 - i] + i + k) % N;
    }
  }
  return r;
}
// Behind the region.
static double behindRegion(double x) {
  double a[N], r = 0;
  int at[N];
  numbers(a, x), places(at, 3);
  for (int k = 0; k < 3; ++k) {
#pragma omp parallel for reduction(+ : r)
    for (int i = 0; i < N; ++i)
      r += pick(a, at, i);
    at[k * 3] = (at[k * 3] + 1) % N;
  }
  return r;
}
// By tasks.
static double byTasks(double x) {
  double a[N], part[N], r = 0;
  int at[N];
  numbers(a, x), places(at, 3);
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < N; i += 8)
#pragma omp task shared(a, at, part) firstprivate(i, k)
      for (int j = i; j < i + 8; ++j)
        part[j] = (k ? part[j] : 0) + pick(a, at, j);
#pragma omp taskwait
#pragma omp task shared(at)
    places(at, 7 + k);
#pragma omp taskwait
  }
  for (int i = 0; i < N; ++i)
    r += part[i] * x;
  return r;
}

int main(void) {
  RG_UNARY(stays, 0.7);
  RG_UNARY(behindBarrier, 0.7);
  RG_UNARY(behindRegion, 0.7);
  RG_UNARY(byTasks, 0.7);
  return rgReport();
}
