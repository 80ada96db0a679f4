// Variables of which each thread has its own, from one region to the next, and from one call of
// the derivative to the next.
// RG-FLAGS: -fopenmp
// RG-THREADS: 1 2 3 8
#include "rgopenmp.h"
static double mine, table[3];
static int count;
#pragma omp threadprivate(mine, table, count)
static double regions(const double *x, int n) {
  double s = 0;
#pragma omp parallel
  {
    mine = x[0];
    for (int k = 0; k < 3; ++k)
      table[k] = 1 + 0.1 * k * x[k];
#pragma omp for schedule(static)
    for (int i = 0; i < n; ++i)
      mine += x[i] * x[i] * table[i % 3];
  }
#pragma omp parallel reduction(+ : s)
  {
    // Some of a thread's number stays behind when the derivative ends.
    if (omp_get_thread_num() > 0)
      s -= x[0];
    s += mine * (1 + table[1] - table[2]) - (1 + table[1] - table[2]) * x[0];
  }
  return s * s;
}
static double copied(const double *x, int n) {
  double s = 0;
  mine = x[1] * x[2];
  table[0] = x[3];
#pragma omp parallel copyin(mine, table) reduction(+ : s)
  {
#pragma omp for
    for (int i = 0; i < n; ++i)
      s += mine * x[i] * table[0];
#pragma omp single copyprivate(mine)
    mine = x[4] * x[4];
#pragma omp for
    for (int i = 0; i < n; ++i)
      s += mine * x[i];
  }
  return s;
}
static void add(double v) {
  mine += v;
  ++count;
}
static double called(const double *x, int n) {
  double s = 0;
#pragma omp parallel reduction(+ : s)
  {
    mine = 0;
    count = 0;
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < n; ++i)
      add(sin(x[i]) * x[(i + 1) % n]);
    s += mine * mine / (count ? 1 : 2) - mine * mine + mine;
  }
  return s;
}
int main(void) {
  POINT;
  CHECK(regions);
  CHECK(copied);
  CHECK(called);
  CHECK(regions);
  return rgReport();
}
