// Library routines with rules of their own below a tape: BLAS, LAPACK, qsort. Their
// operands are overwritten before the sweep, which runs twice.
// REQUIRES: openblas
// RG-FLAGS: -lopenblas
// RG-LEVELS: O0 O2
#include "rgtest.h"
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
extern int enzyme_dup, enzyme_nofree;
void *__enzyme_augmentfwd(void *, ...);
void __enzyme_reverse(void *, ...);
void dgesv_(int *n, int *nrhs, double *a, int *lda, int *ipiv, double *b, int *ldb, int *info);
enum { N = 3, NN = N * N };

double dense(double *a, double *b, double *c) {
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, N, N, N, 1.5, a, N, b, N, 0.5, c, N);
  double s = cblas_ddot(NN, a, 1, c, 1);
  cblas_dscal(NN, s, a, 1);
  cblas_daxpy(NN, 2.0, a, 1, b, 1);
  double r = cblas_dnrm2(NN, b, 1) + cblas_ddot(NN, a, 1, b, 1);
  int n = N, one = 1, pivots[N], info;
  double m[NN], x[N];
  for (int i = 0; i < NN; ++i)
    m[i] = b[i] + (i % (N + 1) == 0 ? 4 : 0);
  for (int i = 0; i < N; ++i)
    x[i] = c[i];
  dgesv_(&n, &one, m, &n, pivots, x, &n, &info);
  for (int i = 0; i < N; ++i)
    r += x[i] * x[i] * c[i];
  return r;
}
static int less(const void *p, const void *q) {
  double x = *(const double *)p, y = *(const double *)q;
  return (x > y) - (x < y);
}
double sorted(double *a, double *b, double *c) {
  qsort(a, NN, sizeof *a, less);
  double s = 0;
  for (int i = 0; i < NN; ++i)
    s += a[i] * b[i] * (i + 1) + c[i] * s;
  return s;
}

static double u[NN], v[NN], w[NN];
static double again(double (*f)(double *, double *, double *), const double *a, const double *b,
                    const double *c) {
  memcpy(u, a, sizeof u);
  memcpy(v, b, sizeof v);
  memcpy(w, c, sizeof w);
  return f(u, v, w);
}
#define CHECK(F)                                                                         \
  do {                                                                                   \
    double a[NN], b[NN], c[NN], da[NN] = {0}, db[NN] = {0}, dc[NN] = {0}, first[NN];     \
    for (int i = 0; i < NN; ++i) {                                                       \
      a[i] = u[i] = sin(i + 1.) + .1;                                                    \
      b[i] = v[i] = cos(2. * i);                                                         \
      c[i] = w[i] = .1 * i + .5;                                                         \
    }                                                                                    \
    void *t = __enzyme_augmentfwd((void *)F, u, da, v, db, w, dc);                       \
    for (int i = 0; i < NN; ++i)                                                         \
      u[i] = v[i] = w[i] = 1e300;                                                        \
    __enzyme_reverse((void *)F, enzyme_nofree, u, da, v, db, w, dc, 1.0, t);             \
    memcpy(first, da, sizeof first);                                                     \
    memset(da, 0, sizeof da);                                                            \
    memset(db, 0, sizeof db);                                                            \
    memset(dc, 0, sizeof dc);                                                            \
    __enzyme_reverse((void *)F, u, da, v, db, w, dc, 1.0, t);                            \
    for (int i = 0; i < NN; ++i) {                                                       \
      RG_NEAR(first[i], da[i]);                                                          \
      RG_WITHIN(da[i], RG_DIFF(again(F, a, b, c), a[i]), 1e-6);                          \
      RG_WITHIN(db[i], RG_DIFF(again(F, a, b, c), b[i]), 1e-6);                          \
      RG_WITHIN(dc[i], RG_DIFF(again(F, a, b, c), c[i]), 1e-6);                          \
    }                                                                                    \
  } while (0)

int main(void) {
  CHECK(dense);
  CHECK(sorted);
  return rgReport();
}
int enzyme_dup, enzyme_nofree;
