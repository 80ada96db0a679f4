// Locks of the program: attempts to take one, and locks that their owner takes again. What is done
// under them gives the same in any order of threads.
// RG-FLAGS: -fopenmp
// RG-THREADS: 1 3 8
#include "rgopenmp.h"
static double attempts(const double *x, int n) {
  double p = 1;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double v = 1 + 0.1 * sin(x[i]);
    while (!omp_test_lock(&lock))
      ;
    p *= v;
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  return p;
}
static void multiply(double *p, double v, omp_nest_lock_t *lock) {
  omp_set_nest_lock(lock);
  *p *= v;
  omp_unset_nest_lock(lock);
}
static double nested(const double *x, int n) {
  double p = 1, q = 1;
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < n; ++i) {
    omp_set_nest_lock(&lock);
    multiply(&p, 1 + 0.1 * x[i] * x[i], &lock);
    multiply(&q, 1 - 0.01 * x[i], &lock);
    omp_unset_nest_lock(&lock);
  }
  omp_destroy_nest_lock(&lock);
  return p + q;
}
int main(void) {
  POINT;
  CHECK(attempts);
  CHECK(nested);
  return rgReport();
}
