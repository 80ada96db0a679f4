// Split mode with another number of threads in between, derivatives called by many threads,
// two gradients of one evaluation.
// RG-FLAGS: -fopenmp
// RG-THREADS: 1 2 3 8
#include "rgopenmp.h"
void *__enzyme_augmentfwd(void *, ...);
void __enzyme_reverse(void *, ...);
int enzyme_width;
static void work(const double *x, double *y, int n) {
  double a = x[0] * x[1];
#pragma omp parallel
  {
    double mine = a;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < n; ++i)
      y[i] = mine * x[i] * sin(x[(i + 1) % n]);
#pragma omp critical
    y[n] = (y[n] + 1) * 1.5 ;
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < n; ++i)
      y[n + 1 + i] = y[i] * y[n - 1 - i] * x[2];
  }
}
static double sum(const double *x, int n) {
  double y[2 * N + 1] = {0}, s = 0;
  work(x, y, n);
  for (int i = 0; i < 2 * N + 1; ++i)
    s += i == n ? 0 : y[i] * (i + 1);
  return s;
}
int main(void) {
  POINT;
  CHECK(sum);
  double y[2 * N + 1] = {0}, z[2 * N + 1] = {0}, dy[2 * N + 1], dz[2 * N + 1], d[N] = {0}, e[N] = {0}, want[N];
  int was = omp_get_max_threads();
  void *first = __enzyme_augmentfwd((void *)work, enzyme_dup, x, d, enzyme_dup, y, dy, enzyme_const, N);
  omp_set_num_threads(5);
  void *second = __enzyme_augmentfwd((void *)work, enzyme_dup, x, e, enzyme_dup, z, dz, enzyme_const, N);
  omp_set_num_threads(2);
  for (int i = 0; i < 2 * N + 1; ++i)
    dy[i] = dz[i] = i == N ? 0 : i + 1;
  __enzyme_reverse((void *)work, enzyme_dup, x, d, enzyme_dup, y, dy, enzyme_const, N, first);
  __enzyme_reverse((void *)work, enzyme_dup, x, e, enzyme_dup, z, dz, enzyme_const, N, second);
  omp_set_num_threads(was);
  RG_GRADS(d, sum(x, N), x, N);
  for (int i = 0; i < N; ++i) {
    RG_NEAR(e[i], d[i]);
    want[i] = d[i];
  }
  // Called by many threads, each with shadows of its own.
  double all[4][N] = {{0}};
#pragma omp parallel for num_threads(4)
  for (int k = 0; k < 4; ++k)
    __enzyme_autodiff((void *)sum, enzyme_dup, x, all[k], enzyme_const, N);
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < N; ++i)
      RG_NEAR(all[k][i], want[i]);
  // Two gradients of one evaluation.
  double l0[N] = {0}, l1[N] = {0}, m0[2 * N + 1] = {0}, m1[2 * N + 1] = {0}, v[2 * N + 1] = {0};
  for (int i = 0; i < 2 * N + 1; ++i)
    m0[i] = i == N ? 0 : i + 1, m1[i] = i == N ? 0 : 2.0 * (i + 1);
  __enzyme_autodiff((void *)work, enzyme_width, 2, enzyme_dup, x, l0, l1, enzyme_dup, v, m0, m1, enzyme_const, N);
  for (int i = 0; i < N; ++i) {
    RG_NEAR(l0[i], want[i]);
    RG_NEAR(l1[i], 2 * want[i]);
  }
  return rgReport();
}
