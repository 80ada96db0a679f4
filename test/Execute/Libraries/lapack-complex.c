// Complex LU factorisations and solves by the names of LAPACK and LAPACKE, in both orders and
// all operations, with rows that are exchanged; dot products of floats as doubles. Reverse
// against differences of what the library computes, and forward against reverse.
// REQUIRES: openblas
// RG-LEVELS: O0 O2
// RG-FLAGS: -llapacke -lopenblas -lm
#include "dense.h"
typedef double _Complex Z;
void zgetrf_(const int *, const int *, Z *, const int *, int *, int *);
void zgetrs_(const char *, const int *, const int *, const Z *, const int *, const int *, Z *, const int *, int *,
             unsigned long);
void zgesv_(const int *, const int *, Z *, const int *, int *, Z *, const int *, int *);
int LAPACKE_zgesv(int, int, int, Z *, int, int *, Z *, int);
int LAPACKE_zgetrf(int, int, int, Z *, int, int *);
int LAPACKE_zgetrs(int, char, int, int, const Z *, int, const int *, Z *, int);
double dsdot_(const int *, const float *, const int *, const float *, const int *);
float cblas_sdsdot(int, float, const float *, int, const float *, int);

enum { n = 4, r = 2 };
static void matrix(const double *x, double *A, double diagonal) {
  for (int i = 0; i < 2 * n * n; ++i)
    A[i] = x[i];
  for (int i = 0; i < n; ++i) // the largest of a column is not on the diagonal
    A[2 * (i * n + (i + 1) % n)] += diagonal;
}
static double solve(double *x) {
  double A[2 * n * n], B[2 * n * r];
  int pivots[n], N = n, R = r, info;
  matrix(x, A, 3);
  for (int i = 0; i < 2 * n * r; ++i)
    B[i] = x[2 * n * n + i];
  zgesv_(&N, &R, (Z *)A, &N, pivots, (Z *)B, &N, &info);
  zgetrs_("T", &N, &R, (Z *)A, &N, pivots, (Z *)B, &N, &info, 1);
  zgetrs_("c", &N, &R, (Z *)A, &N, pivots, (Z *)B, &N, &info, 1);
  return weigh(B, 2 * n * r) + weigh(A, 2 * n * n) * .01 + info;
}
static double tall(double *x) {
  double A[2 * n * n];
  int pivots[n], N = n, K = 3, info;
  matrix(x, A, 2);
  zgetrf_(&N, &K, (Z *)A, &N, pivots, &info);
  return weigh(A, 2 * n * K) + pivots[0];
}
static double rows(double *x) {
  double A[2 * n * n], B[2 * n * r];
  int pivots[n];
  matrix(x, A, 3);
  for (int i = 0; i < 2 * n * r; ++i)
    B[i] = x[2 * n * n + i];
  int info = LAPACKE_zgesv(101, n, r, (Z *)A, n, pivots, (Z *)B, r);
  LAPACKE_zgetrs(101, 'T', n, r, (Z *)A, n, pivots, (Z *)B, r);
  matrix(x, A, -2.5);
  info += LAPACKE_zgetrf(102, n, n, (Z *)A, n, pivots);
  LAPACKE_zgetrs(102, 'C', n, r, (Z *)A, n, pivots, (Z *)B, n);
  return weigh(B, 2 * n * r) + info;
}
static double floats(double *x) {
  float a[8], b[8];
  int m = 4, one = 1, two = -2;
  for (int i = 0; i < 8; ++i) {
    a[i] = x[i];
    b[i] = x[i + 8] * x[i];
  }
  return dsdot_(&m, a, &one, b, &two) + cblas_sdsdot(8, a[1], a, 1, b, 1);
}

int main(void) {
  CHECK_VECTOR(solve, 2 * n * (n + r));
  CHECK_VECTOR(tall, 2 * n * n);
  CHECK_VECTOR(rows, 2 * n * (n + r));
  double x[16], d[16] = {0}, v[16] = {0};
  for (int i = 0; i < 16; ++i)
    x[i] = pseudo(i);
  __enzyme_autodiff((void *)floats, x, d);
  for (int i = 0; i < 16; ++i) {
    v[i] = 1;
    RG_WITHIN(__enzyme_fwddiff((void *)floats, x, v), d[i], 1e-5);
    v[i] = 0;
  }
  // By hand: a[i] meets b[2 * (3 - i)], and b[i].
  RG_WITHIN(d[8], x[0] * (x[3] + x[0]), 1e-5);
  RG_WITHIN(d[9], x[1] * x[1], 1e-5);
  return rgReport();
}
