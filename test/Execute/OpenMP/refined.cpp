// A grid is interpolated to a finer one by a loop whose lower bound the program computes: the loop's bound can be
// computed, but what LLVM finds out of it depends on what it was asked before.
// RG-FLAGS: -fopenmp -w
// RG-THREADS: 1 3
#include "rgopenmp.h"

static __attribute__((noinline)) void refine(const double *coarse, int p, int q, int r, double *fine, int n, int m,
                                             int l) {
  using Coarse = const double(*)[q][p];
  using Fine = double(*)[m][n];
  Coarse z = reinterpret_cast<Coarse>((const void *)coarse);
  Fine u = reinterpret_cast<Fine>((void *)fine);
  int i, j, k, a, b, c, d, e;
  if (n == 3) {
    a = 2;
    d = 1;
  } else {
    a = 1;
    d = 0;
  }
  if (m == 3) {
    b = 2;
    e = 1;
  } else {
    b = 1;
    e = 0;
  }
  if (l == 3)
    c = 2;
  else
    c = 1;
#pragma omp for
  for (k = c; k <= r - 1; ++k) {
    for (j = b; j <= q - 1; ++j) {
      for (i = a; i <= p - 1; ++i)
        u[2 * k - c - 1][2 * j - b - 1][2 * i - a - 1] += z[k - 1][j - 1][i - 1];
      for (i = 1; i <= p - 1; ++i)
        u[2 * k - c - 1][2 * j - b - 1][2 * i - d - 1] += 0.5 * (z[k - 1][j - 1][i] + z[k - 1][j - 1][i - 1]);
    }
    for (j = 1; j <= q - 1; ++j) {
      for (i = a; i <= p - 1; ++i)
        u[2 * k - c - 1][2 * j - e - 1][2 * i - a - 1] += 0.5 * (z[k - 1][j][i - 1] + z[k - 1][j - 1][i - 1]);
      for (i = 1; i <= p - 1; ++i)
        u[2 * k - c - 1][2 * j - e - 1][2 * i - d - 1] += 0.25 * (z[k - 1][j][i] + z[k - 1][j - 1][i - 1]);
    }
  }
}
static double grids(const double *x, int n) {
  const int size[3] = {3, 5, 9}, at[3] = {0, 27, 152};
  double *u = (double *)calloc(881, sizeof *u), s = 0;
  for (int i = 0; i < 27; ++i)
    u[i] = x[i % n] * sin(i);
#pragma omp parallel
  {
    for (int k = 1; k < 3; ++k)
      refine(&u[at[k - 1]], size[k - 1], size[k - 1], size[k - 1], &u[at[k]], size[k], size[k], size[k]);
#pragma omp for reduction(+ : s)
    for (int i = 0; i < 881; ++i)
      s += u[i] * u[i];
  }
  free(u);
  return s;
}

int main() {
  POINT;
  CHECK(grids);
  return rgReport();
}
