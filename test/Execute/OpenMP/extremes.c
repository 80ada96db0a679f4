// Atomic minima and maxima, which compare and exchange.
// RG-FLAGS: -fopenmp -fopenmp-version=51
// RG-THREADS: 1 3 8
#include "rgopenmp.h"
static double least(const double *x, int n) {
  double low = 1e9, high = -1e9;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double v = x[i] * x[i];
#pragma omp atomic compare
    low = v < low ? v : low;
#pragma omp atomic compare
    if (v > high) {
      high = v;
    }
  }
  return low * high + low * x[0];
}
int main(void) {
  POINT;
  CHECK(least);
  return rgReport();
}
