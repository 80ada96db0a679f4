// Dependences of sets of tasks (mutexinoutset, inoutset), of lists that the program makes (iterator).
// RG-FLAGS: -fopenmp
// RG-THREADS: 1 2 3

#include "rgopenmp.h"

// Each changes what the others made, one at a time.
static double exclusive(const double *x, int n) {
  double r[8] = {0}, all = 1;
#pragma omp parallel
#pragma omp masked
  {
    for (int i = 0; i < 8; ++i)
#pragma omp task depend(out : r[i]) firstprivate(i)
      r[i] = x[i % n] * x[(i + 1) % n];
    for (int i = 0; i < 8; ++i)
#pragma omp task depend(in : r[i]) depend(mutexinoutset : all) firstprivate(i)
      all += 0.5 * r[i];
#pragma omp task depend(iterator(k = 0 : 8), in : r[k]) depend(in : all)
    all = all * all + r[2] * r[7];
#pragma omp taskwait
  }
  return all;
}

// All of a set before those behind it.
static double sets(const double *x, int n) {
  double a[6] = {0}, s = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : s)
    s = x[0] * x[1];
    for (int i = 0; i < 6; ++i)
#pragma omp task depend(inoutset : s) firstprivate(i)
      a[i] = x[i % n] * s * (i + 1);
#pragma omp task depend(in : s)
    for (int i = 0; i < 6; ++i)
      s += a[i] * a[i];
  }
  return s;
}

int main(void) {
  POINT;
  CHECK(exclusive);
  CHECK(sets);
  return rgReport();
}
