// RG-LEVELS: O0 O1 O2 O3 Os fast g
// Explicit heat conduction on a grid: two buffers that swap, boundary branches,
// a nonlinear coefficient, and a Gauss-Seidel sweep in place.
#include "rgtest.h"
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double heat(const double *start, double k, int n, int steps) {
  double *u = malloc(n * n * sizeof *u), *w = malloc(n * n * sizeof *w);
  for (int i = 0; i < n * n; ++i)
    u[i] = start[i];
  for (int t = 0; t < steps; ++t) {
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        double c = u[i * n + j];
        double up = i ? u[(i - 1) * n + j] : c, down = i + 1 < n ? u[(i + 1) * n + j] : c;
        double left = j ? u[i * n + j - 1] : c, right = j + 1 < n ? u[i * n + j + 1] : 0;
        w[i * n + j] = c + k * (1 + 0.1 * c * c) * (up + down + left + right - 4 * c);
      }
    double *swap = u;
    u = w;
    w = swap;
  }
  double s = 0;
  for (int i = 0; i < n * n; ++i)
    s += u[i] * u[i] * (i % 3 + 1);
  free(u);
  free(w);
  return s;
}
static double seidel(const double *b, int n, int sweeps) {
  double x[12] = {0}, s = 0;
  for (int t = 0; t < sweeps; ++t)
    for (int i = 0; i < n; ++i) {
      double r = b[i] * b[i];
      if (i)
        r += x[i - 1];
      if (i + 1 < n)
        r += x[i + 1];
      x[i] = r / (2.5 + 0.1 * x[i]);
    }
  for (int i = 0; i < n; ++i)
    s += x[i];
  return s;
}

int main(void) {
  double u[25], d[25] = {0}, v[25] = {0}, k = 0.1;
  for (int i = 0; i < 25; ++i)
    u[i] = 0.25 * (i * 7 % 11) - 1;
  double dk = __enzyme_autodiff((void *)heat, u, d, k, 5, 6);
  RG_GRAD(dk, heat(u, k, 5, 6), k);
  RG_GRADS(d, heat(u, k, 5, 6), u, 25);
  v[7] = 1;
  RG_NEAR(__enzyme_fwddiff((void *)heat, u, v, k, 0.0, 5, 6), d[7]);
  double b[8] = {1, 0.5, -0.25, 0.75, 1.5, 1, 0.3, 0.6}, db[8] = {0};
  __enzyme_autodiff((void *)seidel, b, db, 8, 5);
  RG_GRADS(db, seidel(b, 8, 5), b, 8);
  return rgReport();
}
