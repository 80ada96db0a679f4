// Shared globals, and threads that run loops of different lengths.
// RG-FLAGS: -fopenmp
// RG-THREADS: 1 2 3 8
// RG-LEVELS: O0 O1 O3 fast
#include "rgopenmp.h"
static double table[N], total;
static double globals(const double *x, int n) {
  total = 1;
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    table[i] = x[i] * x[(i + 1) % n];
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) {
#pragma omp critical
      total *= 1 + 0.1 * table[n - 1 - i];
    }
#pragma omp single
    table[0] *= total;
  }
  return total * table[0] + table[3];
}
static double earlyOut(const double *x, int n) {
  double s = 0;
#pragma omp parallel reduction(+ : s)
  {
    int me = omp_get_thread_num(), k = me;
    double v = x[me % n];
    while (v < 3 && k < 40) { v = v * (1 + x[k % n]); k += 1 + me; }
    if (me == 0)
      s += v;
  }
  return s;
}
int main(void) { POINT; CHECK(globals); CHECK(earlyOut); return rgReport(); }
