// Table lookup with an index computed from active data: linear, cubic spline and
// bilinear interpolation. The index is a step function, the weights are not.
#include "rgtest.h"
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_const, enzyme_dup, enzyme_out;

static double linear(const double *table, int n, double x) {
  int i = (int)floor(x);
  if (i < 0)
    i = 0;
  if (i > n - 2)
    i = n - 2;
  double t = x - i;
  return table[i] * (1 - t) + table[i + 1] * t;
}
static double catmullRom(const double *p, int n, double x) {
  int i = (int)x;
  double t = x - i, a = p[i > 0 ? i - 1 : 0], b = p[i], c = p[i + 1],
         d = p[i + 2 < n ? i + 2 : n - 1];
  return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
}
static double search(const double *grid, const double *values, int n, double x) {
  int lo = 0, hi = n - 1;
  while (hi - lo > 1) {
    int mid = (lo + hi) / 2;
    if (grid[mid] <= x)
      lo = mid;
    else
      hi = mid;
  }
  double t = (x - grid[lo]) / (grid[hi] - grid[lo]);
  return values[lo] + t * (values[hi] - values[lo]);
}

int main(void) {
  double table[6] = {1, 3, -2, 0.5, 4, 2}, grid[6] = {0, 0.7, 1.5, 2, 3.1, 5};
  for (double x = 0.35; x < 5; x += 0.9) {
    double d[6] = {0}, e[6] = {0}, g[6] = {0}, v[6] = {0};
    double dx = __enzyme_autodiff((void *)linear, table, d, 6, x);
    RG_GRAD(dx, linear(table, 6, x), x);
    RG_GRADS(d, linear(table, 6, x), table, 6);
    RG_GRAD(__enzyme_autodiff((void *)catmullRom, enzyme_const, table, 6, x),
            catmullRom(table, 6, x), x);
    dx = __enzyme_autodiff((void *)search, grid, g, table, e, 6, x);
    RG_GRAD(dx, search(grid, table, 6, x), x);
    RG_GRADS(e, search(grid, table, 6, x), table, 6);
    RG_GRADS(g, search(grid, table, 6, x), grid, 6);
    RG_GRAD(__enzyme_fwddiff((void *)search, grid, v, enzyme_const, table, 6, x, 1.0),
            search(grid, table, 6, x), x);
  }
  return rgReport();
}
