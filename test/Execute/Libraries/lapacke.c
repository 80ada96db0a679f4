// LAPACKE in both orders of storage.
// RG-FLAGS: -llapacke -lopenblas
// REQUIRES: openblas
#include "dense.h"
#include <lapacke.h>

static double chain(double *x, int Order) {
  enum { n = 4 };
  double A[n * n], S[n * n], B[2 * n], Q[n * n], w[n], tau[n];
  int ipiv[n], r = 2, ldb = Order == LAPACK_ROW_MAJOR ? r : n;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      int at = i + n * j;
      A[at] = Q[at] = x[at] + (i == j);
      S[at] = x[at] + x[j + n * i] + 6 * (i == j);
    }
  for (int i = 0; i < 2 * n; ++i)
    B[i] = x[16 + i];
  LAPACKE_dgesv(Order, n, r, A, n, ipiv, B, ldb);
  LAPACKE_dgetrs(Order, 'T', n, r, A, n, ipiv, B, ldb);
  LAPACKE_dgetri(Order, n, A, n, ipiv);
  LAPACKE_dpotrf(Order, 'L', n, S, n);
  LAPACKE_dpotrs(Order, 'L', n, r, S, n, B, ldb);
  LAPACKE_dgeqrf(Order, n, n - 1, Q, n, tau);
  LAPACKE_dormqr(Order, 'L', 'T', n, r, n - 1, Q, n, tau, B, ldb);
  LAPACKE_dorgqr(Order, n, n - 1, n - 1, Q, n, tau);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      S[i + n * j] = x[i + n * j] + x[j + n * i] + i * (i == j);
  double F[n * n], C[2 * n], d[n], dl[n - 1], du[n - 1];
  for (int i = 0; i < n * n; ++i)
    F[i] = 0.3 * x[i] + 5 * (i % (n + 1) == 0);
  for (int i = 0; i < 2 * n; ++i)
    C[i] = x[16 + i];
  for (int i = 0; i < n; ++i)
    d[i] = 3 + x[i];
  for (int i = 0; i + 1 < n; ++i)
    dl[i] = x[4 + i], du[i] = x[8 + i];
  LAPACKE_dpotri(Order, 'U', n, F, n);
  LAPACKE_dgtsv(Order, n, r, dl, d, du, C, ldb);
  LAPACKE_dgels(Order, 'N', n, n, r, F, n, C, ldb);
  for (int i = 0; i < 2 * n; ++i)
    B[i] += C[i];
  LAPACKE_dsyev(Order, 'V', 'U', n, S, n, w);
  double s = weigh(B, 8) + 0.1 * weigh(A, 16) + 0.1 * weigh(Q, 12) + weigh(w, n);
  for (int i = 0; i < n * n; ++i)
    s += (i % 5) * S[i] * S[i];
  return s;
}
static double rows(double *x) { return chain(x, LAPACK_ROW_MAJOR); }
static double columns(double *x) { return chain(x, LAPACK_COL_MAJOR); }

int main(void) {
  CHECK_VECTOR(rows, 24);
  CHECK_VECTOR(columns, 24);
  return rgReport();
}
