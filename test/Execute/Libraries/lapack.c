// LAPACK's factorisations and solvers by their Fortran names, with queries of the workspace.
// RG-FLAGS: -lopenblas
// REQUIRES: openblas
#include "dense.h"
#include <math.h>

void dgetrf_(int *, int *, double *, int *, int *, int *);
void dgetrs_(const char *, int *, int *, double *, int *, int *, double *, int *, int *);
void dgetri_(int *, double *, int *, int *, double *, int *, int *);
void dgesv_(int *, int *, double *, int *, int *, double *, int *, int *);
void dpotrf_(const char *, int *, double *, int *, int *);
void dpotrs_(const char *, int *, int *, double *, int *, double *, int *, int *);
void dposv_(const char *, int *, int *, double *, int *, double *, int *, int *);
void dtrtrs_(const char *, const char *, const char *, int *, int *, double *, int *, double *,
             int *, int *);
void dgeqrf_(int *, int *, double *, int *, double *, double *, int *, int *);
void dormqr_(const char *, const char *, int *, int *, int *, double *, int *, double *, double *,
             int *, double *, int *, int *);
void dorgqr_(int *, int *, int *, double *, int *, double *, double *, int *, int *);
void dpotri_(const char *, int *, double *, int *, int *);
void dgels_(const char *, int *, int *, int *, double *, int *, double *, int *, double *, int *,
            int *);
void dgtsv_(int *, int *, double *, double *, double *, double *, int *, int *);
void dsyev_(const char *, const char *, int *, double *, int *, double *, double *, int *, int *);

static double solve(double *x) {
  double A[16], B[8];
  int n = 4, r = 2, ipiv[4], info;
  for (int i = 0; i < 16; ++i)
    A[i] = x[i] + 3 * (i % 5 == 0);
  for (int i = 0; i < 8; ++i)
    B[i] = x[16 + i];
  dgesv_(&n, &r, A, &n, ipiv, B, &n, &info);
  if (info)
    return 0;
  return weigh(B, 8);
}
// One factorisation, several solutions, the log-determinant, and the inverse.
static double factor(double *x) {
  int n = 4, one = 1, ipiv[4], info, size = -1;
  double A[16], b[4], c[4], Best, LogDet = 0;
  for (int i = 0; i < 16; ++i)
    A[i] = x[i] + (i % 5 == 0);
  dgetrf_(&n, &n, A, &n, ipiv, &info);
  for (int i = 0; i < n; ++i) {
    b[i] = x[16 + i];
    LogDet += log(fabs(A[5 * i]));
  }
  dgetrs_("N", &n, &one, A, &n, ipiv, b, &n, &info);
  for (int i = 0; i < n; ++i)
    c[i] = b[i] * b[i];
  dgetrs_("T", &n, &one, A, &n, ipiv, c, &n, &info);
  dgetri_(&n, A, &n, ipiv, &Best, &size, &info);
  size = (int)Best;
  double *work = malloc(size * sizeof(double));
  dgetri_(&n, A, &n, ipiv, work, &size, &info);
  free(work);
  return weigh(b, 4) + weigh(c, 4) + LogDet + 0.1 * weigh(A, 16);
}
// The log-likelihood of a Gaussian, whose covariance is a function of three parameters.
static double gaussian(double *x) {
  enum { n = 5 };
  int N = n, one = 1, info;
  double K[n * n], y[n], r = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      K[i + n * j] = x[0] * x[0] * exp(-(i - j) * (i - j) * x[1] * x[1]) +
                     (i == j) * (0.1 + x[2] * x[2]);
    y[i] = x[3 + i];
  }
  dpotrf_("L", &N, K, &N, &info);
  dpotrs_("L", &N, &one, K, &N, y, &N, &info);
  for (int i = 0; i < n; ++i)
    r -= 0.5 * x[3 + i] * y[i] + log(K[i + n * i]);
  return r;
}
static double positive(double *x) {
  enum { n = 3 };
  int N = n, r = 2, info;
  double A[n * n], B[2 * n], L[n * n];
  for (int i = 0; i < n * n; ++i)
    A[i] = L[i] = 0.2 * x[i] + 2 * (i % (n + 1) == 0);
  for (int i = 0; i < 2 * n; ++i)
    B[i] = x[9 + i];
  dposv_("U", &N, &r, A, &N, B, &N, &info);
  dtrtrs_("L", "T", "N", &N, &r, L, &N, B, &N, &info);
  return weigh(B, 6) + weigh(A, 3);
}
// Least squares by QR: min |A c - b|.
static double leastSquares(double *x) {
  enum { m = 6, n = 3 };
  int M = m, N = n, one = 1, info, size = -1;
  double A[m * n], b[m], tau[n], Best, r = 0;
  for (int i = 0; i < m * n; ++i)
    A[i] = x[i];
  for (int i = 0; i < m; ++i)
    b[i] = x[18 + i];
  dgeqrf_(&M, &N, A, &M, tau, &Best, &size, &info);
  size = Best < 64 ? 64 : (int)Best;
  double *work = malloc(size * sizeof(double));
  dgeqrf_(&M, &N, A, &M, tau, work, &size, &info);
  dormqr_("L", "T", &M, &one, &N, A, &M, tau, b, &M, work, &size, &info);
  dtrtrs_("U", "N", "N", &N, &one, A, &M, b, &M, &info);
  for (int i = n; i < m; ++i)
    r += b[i] * b[i]; // the residual
  dorgqr_(&M, &N, &N, A, &M, tau, work, &size, &info);
  free(work);
  return weigh(b, n) + r + 0.3 * weigh(A, m * n);
}
static double spectrum(double *x) {
  enum { n = 4 };
  int N = n, info, size = 64;
  double A[n * n], B[n * n], w[n], v[n], work[64];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      A[i + n * j] = B[i + n * j] = x[i + n * j] + x[j + n * i] + (i == j) * i;
  dsyev_("V", "U", &N, A, &N, w, work, &size, &info);
  dsyev_("N", "L", &N, B, &N, v, work, &size, &info);
  // Vectors up to their signs.
  double r = weigh(w, n) + v[1] * v[2];
  for (int i = 0; i < n; ++i)
    r += A[i] * A[i] * (i + 1) + A[i + n] * A[(i + 1) % n + n];
  return r;
}

static double inverse(double *x) {
  enum { n = 3 };
  int N = n, info;
  double A[n * n];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      A[i + n * j] = x[i + n * j] + x[j + n * i] + 6 * (i == j);
  dpotrf_("U", &N, A, &N, &info);
  dpotri_("U", &N, A, &N, &info);
  return weigh(A, n * n);
}
// Tall and wide, as it is and transposed: what remains in A counts, too.
static double fit(double *x, const char *t, int m, int n) {
  int r = 2, info, size = -1, ldb = m > n ? m : n;
  double A[12], B[8], Best;
  for (int i = 0; i < m * n; ++i)
    A[i] = x[i];
  for (int i = 0; i < 2 * ldb; ++i)
    B[i] = x[12 + i];
  dgels_(t, &m, &n, &r, A, &m, B, &ldb, &Best, &size, &info);
  size = (int)Best;
  double *work = malloc(size * sizeof(double));
  dgels_(t, &m, &n, &r, A, &m, B, &ldb, work, &size, &info);
  free(work);
  int rows = *t == 'N' ? n : m;
  return weigh(B, rows) + weigh(B + ldb, rows) + 0.1 * weigh(A, m * n) + info;
}
static double tall(double *x) { return fit(x, "N", 4, 3); }
static double tallTransposed(double *x) { return fit(x, "T", 4, 3); }
static double wide(double *x) { return fit(x, "N", 3, 4); }
static double wideTransposed(double *x) { return fit(x, "T", 3, 4); }
static double threeDiagonals(double *x) {
  enum { n = 4 };
  int N = n, r = 2, info;
  // The second pivot is the element below.
  double d[n] = {4 + x[0], 0.1 * x[1], 5 + x[2], x[3] - 6}, du[n - 1] = {x[7], 4 + x[8], x[9]};
  double dl[n - 1] = {0.3 * x[4], 5 + x[5], x[6]}, B[2 * n];
  for (int i = 0; i < 2 * n; ++i)
    B[i] = x[10 + i];
  dgtsv_(&N, &r, dl, d, du, B, &N, &info);
  return weigh(B, 2 * n) + weigh(d, n) + weigh(du, n - 1) + weigh(dl, n - 2) + info;
}

int main(void) {
  CHECK_VECTOR(inverse, 9);
  CHECK_VECTOR(tall, 20);
  CHECK_VECTOR(tallTransposed, 20);
  CHECK_VECTOR(wide, 20);
  CHECK_VECTOR(wideTransposed, 20);
  CHECK_VECTOR(threeDiagonals, 18);
  CHECK_VECTOR(solve, 24);
  CHECK_VECTOR(factor, 20);
  CHECK_VECTOR(gaussian, 8);
  CHECK_VECTOR(positive, 15);
  CHECK_VECTOR(leastSquares, 24);
  CHECK_VECTOR(spectrum, 16);
  return rgReport();
}
