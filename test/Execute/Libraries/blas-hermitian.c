// Complex Hermitian and triangular matrices by the names of BLAS, CBLAS, LAPACK and LAPACKE: both triangles, both
// orders, all operations and sides, steps backwards. Reverse against differences of what the library computes, and
// forward against reverse.
// REQUIRES: openblas
// RG-LEVELS: O0 O2
// RG-FLAGS: -llapacke -lopenblas -lm
#include "dense.h"
typedef double _Complex Z;
typedef unsigned long L;
void zhemv_(const char *, const int *, const Z *, const Z *, const int *, const Z *, const int *, const Z *, Z *, const int *, L);
void zhemm_(const char *, const char *, const int *, const int *, const Z *, const Z *, const int *, const Z *, const int *, const Z *, Z *, const int *, L, L);
void zher_(const char *, const int *, const double *, const Z *, const int *, Z *, const int *, L);
void zherk_(const char *, const char *, const int *, const int *, const double *, const Z *, const int *, const double *, Z *, const int *, L, L);
void ztrsv_(const char *, const char *, const char *, const int *, const Z *, const int *, Z *, const int *, L, L, L);
void ztrmm_(const char *, const char *, const char *, const char *, const int *, const int *, const Z *, const Z *, const int *, Z *, const int *, L, L, L, L);
void zpotrf_(const char *, const int *, Z *, const int *, int *, L);
void zpotrs_(const char *, const int *, const int *, const Z *, const int *, Z *, const int *, int *, L);
void zposv_(const char *, const int *, const int *, Z *, const int *, Z *, const int *, int *, L);
void cblas_zhemv(int, int, int, const void *, const void *, int, const void *, int, const void *, void *, int);
void cblas_zhemm(int, int, int, int, int, const void *, const void *, int, const void *, int, const void *, void *, int);
void cblas_zher(int, int, int, double, const void *, int, void *, int);
void cblas_zherk(int, int, int, int, int, double, const void *, int, double, void *, int);
void cblas_ztrmv(int, int, int, int, int, const void *, int, void *, int);
void cblas_ztrsm(int, int, int, int, int, int, int, const void *, const void *, int, void *, int);
int LAPACKE_zpotrf(int, char, int, Z *, int);
int LAPACKE_zpotrs(int, char, int, int, const Z *, int, Z *, int);
int LAPACKE_zposv(int, char, int, int, Z *, int, Z *, int);

enum { n = 3, r = 2, inputs = 2 * n * n + 4 * n * r };
static int kind;
// Far from singular, of positive minors.
static void matrix(const double *x, double *A) {
  for (int i = 0; i < 2 * n * n; ++i)
    A[i] = .4 * x[i];
  for (int i = 0; i < n; ++i)
    A[2 * (i * n + i)] += 3 + i;
}
static double products(double *x) {
  double A[2 * n * n], B[2 * n * r], C[2 * n * r];
  const char *u = kind & 1 ? "U" : "l", *t = kind & 2 ? "C" : "N";
  int N = n, R = r, one = 1, back = -1, order = kind & 2 ? 101 : 102, triangle = kind & 1 ? 121 : 122;
  double a = x[3], b = x[4];
  matrix(x, A);
  for (int i = 0; i < 2 * n * r; ++i) {
    B[i] = x[2 * n * n + i];
    C[i] = x[2 * n * n + 2 * n * r + i];
  }
  zhemv_(u, &N, (Z *)x, (Z *)A, &N, (Z *)B, &back, (Z *)(x + 2), (Z *)C, &one, 1);
  cblas_zhemv(order, triangle, n, x + 4, A, n, C, 1, x, B, 1);
  zhemm_("L", u, &N, &R, (Z *)x, (Z *)A, &N, (Z *)B, &N, (Z *)(x + 2), (Z *)C, &N, 1, 1);
  cblas_zhemm(order, 142, triangle, r, n, x, A, n, B, order == 101 ? n : r, x + 6, C, order == 101 ? n : r);
  zher_(u, &N, &a, (Z *)B, &one, (Z *)A, &N, 1);
  cblas_zher(order, triangle, n, b, C, -1, A, n);
  zherk_(u, t, &N, &R, &b, (Z *)C, kind & 2 ? &R : &N, &a, (Z *)A, &N, 1, 1);
  cblas_zherk(order, triangle, kind & 2 ? 113 : 111, n, r, a, B, (kind & 2) == (order == 101 ? 2 : 0) ? n : r, b, A, n);
  return weigh(A, 2 * n * n) * .01 + weigh(B, 2 * n * r) + weigh(C, 2 * n * r) * .1;
}
static double triangles(double *x) {
  double A[2 * n * n], B[2 * n * r];
  const char *u = kind & 1 ? "U" : "L", *d = kind & 2 ? "U" : "N", *t = kind & 4 ? "T" : kind & 8 ? "C" : "N";
  int N = n, R = r, two = 2, order = kind & 8 ? 101 : 102, triangle = kind & 1 ? 121 : 122;
  int unit = kind & 2 ? 132 : 131, trans = kind & 4 ? 112 : kind & 8 ? 113 : 111;
  matrix(x, A);
  for (int i = 0; i < 2 * n * r; ++i)
    B[i] = x[2 * n * n + i];
  ztrsv_(u, t, d, &N, (Z *)A, &N, (Z *)B, &two, 1, 1, 1);
  cblas_ztrmv(order, triangle, trans, unit, n, A, n, B, -1);
  ztrmm_("R", u, t, d, &R, &N, (Z *)x, (Z *)A, &N, (Z *)B, &R, 1, 1, 1, 1);
  cblas_ztrsm(order, kind & 4 ? 141 : 142, triangle, trans, unit, kind & 4 ? n : r, kind & 4 ? r : n, x + 2, A, n, B,
              (kind & 4) == (order == 101 ? 4 : 0) ? r : n);
  return weigh(B, 2 * n * r);
}
static double factors(double *x) {
  double A[2 * n * n], B[2 * n * r];
  const char *u = kind & 1 ? "U" : "L";
  int N = n, R = r, info = 0, order = kind & 2 ? 101 : 102, more = 0;
  for (int i = 0; i < 2 * n * r; ++i)
    B[i] = x[2 * n * n + i];
  matrix(x, A);
  zposv_(u, &N, &R, (Z *)A, &N, (Z *)B, &N, &info, 1);
  zpotrs_(u, &N, &R, (Z *)A, &N, (Z *)B, &N, &more, 1);
  double s = weigh(A, 2 * n * n);
  matrix(x, A);
  zpotrf_(u, &N, (Z *)A, &N, &more, 1);
  s += weigh(A, 2 * n * n) * x[0] + more;
  matrix(x, A);
  info += LAPACKE_zposv(order, *u, n, r, (Z *)A, n, (Z *)B, order == 101 ? r : n);
  info += LAPACKE_zpotrs(order, *u, n, r, (Z *)A, n, (Z *)B, order == 101 ? r : n);
  matrix(x, A);
  info += LAPACKE_zpotrf(order, *u, n, (Z *)A, n);
  return s + weigh(A, 2 * n * n) + weigh(B, 2 * n * r) + info;
}

int main(void) {
  for (kind = 0; kind < 4; ++kind) {
    CHECK_VECTOR(products, inputs);
    CHECK_VECTOR(factors, inputs);
  }
  for (kind = 0; kind < 16; ++kind)
    CHECK_VECTOR(triangles, inputs);
  return rgReport();
}
