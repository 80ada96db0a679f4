// Scans, inclusive and exclusive, of sums, maxima and declared reductions; loops that are no rectangles; iterations
// that wait for two others; loops that are cut into tiles or exchanged.
// RG-FLAGS: -fopenmp
// RG-THREADS: 1 2 3 8
#include "rgopenmp.h"
#include <string.h>
static double prefix(const double *x, int n) {
  double sum = 0, most = -1e30, before = 0, a[N], b[N], r = 0;
#pragma omp parallel for reduction(inscan, + : sum)
  for (int i = 0; i < n; ++i) {
    sum += x[i] * x[i];
#pragma omp scan inclusive(sum)
    a[i] = sum * x[n - 1 - i];
  }
#pragma omp parallel for reduction(inscan, max : most)
  for (int i = 0; i < n; ++i) {
    most = fmax(most, x[i] * cos(3 * x[i]));
#pragma omp scan inclusive(most)
    a[i] += most;
  }
#pragma omp parallel for simd reduction(inscan, + : before)
  for (int i = 0; i < n; ++i) {
    b[i] = a[i] * before;
#pragma omp scan exclusive(before)
    before += x[i];
  }
  for (int i = 0; i < n; ++i)
    r += b[i] * a[i];
  return r;
}
// The logarithm of a sum of exponentials.
typedef struct {
  double top, sum;
} part;
static void join(part *a, const part *b) {
  const double top = fmax(a->top, b->top);
  a->sum = a->sum * exp(a->top - top) + b->sum * exp(b->top - top);
  a->top = top;
}
#pragma omp declare reduction(join : part : join(&omp_out, &omp_in)) initializer(omp_priv = (part){-50, 0})
static double logarithm(const double *x, int n) {
  part all = {-50, 0};
#pragma omp parallel for reduction(join : all) schedule(static, 1)
  for (int i = 0; i < n; ++i) {
    part one = {x[i] * x[(i + 1) % n], 1};
    join(&all, &one);
  }
  return all.top + log(all.sum);
}
static double triangles(const double *x, int n) {
  double s = 0, t = 0, r[N][N];
  memset(r, 0, sizeof r);
#pragma omp parallel for collapse(2) schedule(dynamic, 3) reduction(+ : s)
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j) {
      r[i][j] = x[i] * sin(x[j]);
      s += r[i][j] / (1 + j - i);
    }
#pragma omp parallel for collapse(3) reduction(+ : t)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j)
      for (int k = 0; k < 3; ++k)
        t += r[j][i] * x[k] * (k + 1);
  return s + t;
}
static double front(const double *x, int n) {
  double g[N + 1][N + 1];
  for (int i = 0; i <= n; ++i) {
    g[i][0] = x[i % n];
    g[0][i] = x[i * 5 % n] * 0.5;
  }
#pragma omp parallel for ordered(2) schedule(static, 1)
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= n; ++j) {
      double own = x[i * j % n] * 0.1;
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      g[i][j] = 0.4 * g[i - 1][j] + 0.3 * g[i][j - 1] + 0.2 * sin(g[i - 1][j - 1]) + own;
#pragma omp ordered depend(source)
    }
  return g[n][n] * g[n][n - 1];
}
static double tiles(const double *x, int n) {
  double s = 0, t = 0, y[N][N];
#pragma omp parallel
  {
#pragma omp for
#pragma omp tile sizes(4, 5)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        y[i][j] = x[i] * x[j] + (i == j);
#pragma omp masked
    t = x[1] * y[0][3];
#pragma omp barrier
#pragma omp for reduction(+ : s)
#pragma omp unroll partial(3)
    for (int i = 0; i < n; ++i)
      s += y[i][i * 3 % n] * t;
#pragma omp for reduction(+ : s)
#pragma omp interchange
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        s += 0.1 * sin(y[j][i]);
  }
  return s;
}
int main(void) {
  POINT;
  CHECK(prefix);
  CHECK(logarithm);
  CHECK(triangles);
  CHECK(front);
  CHECK(tiles);
  return rgReport();
}
