// Variable-length arrays as C99 programs use them: matrices as parameters of
// variable shape, three dimensions, on the heap, of structs, in recursion.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;

static void multiply(int n, int m, int k, double c[n][k], double a[n][m], double b[static m][k]) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < k; ++j) {
      c[i][j] = 0;
      for (int l = 0; l < m; ++l)
        c[i][j] += a[i][l] * b[l][j];
    }
}
static double power_trace(int n, double (*a)[n]) {
  double p[n][n], q[n][n];
  memcpy(p, a, sizeof p);
  for (int r = 0; r < 3; ++r) {
    multiply(n, n, n, q, p, a);
    memcpy(p, q, sizeof q);
  }
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += sin(p[i][i]);
  return s;
}
static double power(const double *x, int n) { return power_trace(n, (double (*)[n])x); }

static double stencil(const double *x, int n) {
  double g[2][n][n];
  for (int i = 0; i < n * n; ++i)
    g[0][i / n][i % n] = x[i];
  for (int t = 0; t < 4; ++t)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        g[!(t & 1)][i][j] = g[t & 1][i][j] * 0.5 +
                            0.25 * g[t & 1][(i + 1) % n][j] * g[t & 1][i][(j + n - 1) % n];
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += g[0][i][i] * g[0][i][n - 1 - i];
  return s;
}

struct body { double at[2], mass; int id; };
static double bodies(const double *x, int n) {
  struct body b[n / 3];
  for (int i = 0; i < n / 3; ++i)
    b[i] = (struct body){{x[3 * i], x[3 * i + 1]}, x[3 * i + 2], i};
  double s = 0;
  for (int i = 0; i < n / 3; ++i)
    for (int j = 0; j < i; ++j)
      if (b[i].id != b[j].id)
        s -= b[i].mass * b[j].mass / hypot(b[i].at[0] - b[j].at[0], b[i].at[1] - b[j].at[1]);
  return s;
}

/* Merge by halves, each level with an array of its own. */
__attribute__((noinline)) static double halves(const double *x, int n) {
  if (n == 1)
    return x[0];
  double low[n / 2], high[n - n / 2];
  for (int i = 0; i < n / 2; ++i)
    low[i] = x[i] * x[n - 1 - i];
  for (int i = 0; i < n - n / 2; ++i)
    high[i] = x[i] + 0.5 * x[n / 2 + i];
  return halves(low, n / 2) + cos(halves(high, n - n / 2));
}

static double heap(const double *x, int n) {
  double (*a)[n] = malloc(sizeof(double[n][n]));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      a[i][j] = x[i] * exp(-x[j]);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += a[i][n - 1 - i] * a[0][i];
  free(a);
  return s;
}

#define CHECK(F, N)                                                            \
  do {                                                                         \
    double d[9] = {0};                                                         \
    __enzyme_autodiff((void *)F, enzyme_dup, x, d, N);                         \
    RG_GRADS(d, F(x, N), x, N);                                                \
    for (int i = 0; i < N; ++i) {                                              \
      double v[9] = {0};                                                       \
      v[i] = 1;                                                                \
      RG_NEAR(__enzyme_fwddiff((void *)F, enzyme_dup, x, v, N), d[i]);         \
    }                                                                          \
  } while (0)

static double stencil3(const double *x, int n) { return stencil(x, n / 3); }
static double power3(const double *x, int n) { return power(x, n / 3); }

int main(void) {
  double x[9];
  for (int i = 0; i < 9; ++i)
    x[i] = 0.4 + 0.5 * sin(2.7 * i + 0.3);
  CHECK(power3, 9);
  CHECK(stencil3, 9);
  CHECK(bodies, 9);
  CHECK(halves, 9);
  CHECK(heap, 7);
  return rgReport();
}
