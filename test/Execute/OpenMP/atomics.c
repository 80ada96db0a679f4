// Atomic updates, reads, writes and captures: undone in the order in which they came.
// RG-FLAGS: -fopenmp
// RG-THREADS: 1 2 3 8
#include "rgopenmp.h"
static double products(const double *x, int n) {
  double s = 1, t = 100;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double v = sin(x[i]) + 0.5;
#pragma omp atomic
    s *= v;
#pragma omp atomic update
    t = t / (v + 1);
  }
  return s * t;
}
static double reads(const double *x, int n) {
  double s = 0, t = 0, r = 0;
#pragma omp parallel reduction(+ : r)
  {
#pragma omp for
    for (int i = 0; i < n; ++i) {
#pragma omp atomic
      s += x[i] * x[i];
    }
#pragma omp single
    {
      double v;
#pragma omp atomic read
      v = s;
#pragma omp atomic write
      t = v * v;
    }
#pragma omp for
    for (int i = 0; i < n; ++i)
      r += t * x[i];
  }
  return r;
}
static double captures(const double *x, int n) {
  double s = 0, r = 0, y[N];
  float f = 1;
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double v;
#pragma omp atomic capture
    { v = s; s += x[i]; }
    y[i] = v + x[i] - v;
  }
#pragma omp parallel for
  for (int i = 0; i < n; ++i) {
    double v;
#pragma omp atomic capture
    v = r += y[i] * y[i];
    y[i] += 0 * v;
  }
  return s * r;
}
int main(void) {
  POINT;
  CHECK(products);
  CHECK(reads);
  CHECK(captures);
  return rgReport();
}
