// Memory of allocators of OpenMP: blocks of the program's, with an alignment, cleared, and per thread, and private
// copies of variables that the runtime takes from an allocator.
// RG-FLAGS: -fopenmp
// RG-THREADS: 1 3 8
#include "rgopenmp.h"

static double blocks(const double *x, int n) {
  double *y = omp_alloc(n * sizeof *y, omp_default_mem_alloc), s = 0;
  double *z = omp_calloc(n, sizeof *z, omp_default_mem_alloc);
  double *w = omp_aligned_alloc(64, n * sizeof *w, omp_default_mem_alloc);
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    y[i] = x[i] * x[i];
    w[i] = sin(y[i]);
  }
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < n; ++i) {
    z[i] += y[n - 1 - i] * w[i];
    s += z[i] * x[0];
  }
  omp_free(w, omp_default_mem_alloc);
  omp_free(y, omp_null_allocator);
  omp_free(z, omp_default_mem_alloc);
  return s;
}
static double rooms(const double *x, int n) {
  double s = 0;
#pragma omp parallel reduction(+ : s)
  {
    double *mine = omp_alloc(4 * sizeof *mine, omp_default_mem_alloc);
#pragma omp for
    for (int i = 0; i < n; ++i) {
      for (int k = 0; k < 4; ++k)
        mine[k] = x[i] * x[(i + k) % n];
      s += mine[0] * mine[3] + mine[1];
    }
    omp_free(mine, omp_default_mem_alloc);
  }
  return s;
}
static double copies(const double *x, int n) {
  double part[4], s = 0;
#pragma omp parallel for private(part) allocate(omp_default_mem_alloc : part) reduction(+ : s)
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 4; ++k)
      part[k] = x[i] * (k + x[k]);
    s += part[1] * part[3] + part[2];
  }
  return s;
}

int main(void) {
  POINT;
  CHECK(blocks);
  CHECK(rooms);
  CHECK(copies);
  return rgReport();
}
