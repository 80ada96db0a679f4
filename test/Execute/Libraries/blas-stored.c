// Banded and packed matrices: Fortran and CBLAS names, both orders, all triangles and
// transpositions, steps that are not one and negative; the primal against OpenBLAS.
// RG-FLAGS: -lopenblas
// REQUIRES: openblas
#include "dense.h"
#include <math.h>

enum { Row = 101, Column, NoTrans = 111, Trans, Upper = 121, Lower, NonUnit = 131, Unit };
void cblas_dgbmv(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *, int);
void cblas_dsbmv(int, int, int, int, double, const double *, int, const double *, int, double, double *, int);
void cblas_dspmv(int, int, int, double, const double *, const double *, int, double, double *, int);
void cblas_dtbmv(int, int, int, int, int, int, const double *, int, double *, int);
void cblas_dtbsv(int, int, int, int, int, int, const double *, int, double *, int);
void cblas_dtpmv(int, int, int, int, int, const double *, double *, int);
void cblas_dtpsv(int, int, int, int, int, const double *, double *, int);
void cblas_dspr(int, int, int, double, const double *, int, double *);
void cblas_dspr2(int, int, int, double, const double *, int, const double *, int, double *);
void dgbmv_(const char *, const int *, const int *, const int *, const int *, const double *,
            const double *, const int *, const double *, const int *, const double *, double *,
            const int *);
void dtpsv_(const char *, const char *, const char *, const int *, const double *, double *,
            const int *);

static int Order = Column, Triangle = Upper, Transposition = NoTrans, Diagonal = NonUnit;

static double all(double *x) {
  double A[20], P[10], u[8], v[8], a = x[30], b = x[31];
  for (int i = 0; i < 20; ++i)
    A[i] = 0.7 + 0.1 * sin(x[i]);
  for (int i = 0; i < 10; ++i)
    P[i] = 0.7 + 0.1 * x[i] * x[i + 20];
  for (int i = 0; i < 8; ++i) {
    u[i] = x[20 + i];
    v[i] = x[i] * x[20 + i];
  }
  cblas_dgbmv(Order, Transposition, 4, 4, 1, 2, a, A, 5, u, 2, b, v, -1);
  cblas_dsbmv(Order, Triangle, 4, 2, b, A, 4, v, -1, a, u, 2);
  cblas_dspmv(Order, Triangle, 4, a, P, u, -2, b, v, 1);
  cblas_dtbmv(Order, Triangle, Transposition, Diagonal, 4, 2, A, 3, u, 2);
  cblas_dtbsv(Order, Triangle, Transposition, Diagonal, 4, 1, A, 3, v, -2);
  cblas_dtpmv(Order, Triangle, Transposition, Diagonal, 4, P, v, 2);
  cblas_dtpsv(Order, Triangle, Transposition, Diagonal, 4, P, u, -1);
  for (int i = 0; i < 8; ++i) {
    u[i] = tanh(0.05 * u[i]);
    v[i] = tanh(0.05 * v[i]);
  }
  cblas_dspr(Order, Triangle, 4, a, u, 2, P);
  cblas_dspr2(Order, Triangle, 4, b, u, -1, v, 2, P);
  int n = 4, one = 1, l = 2;
  dgbmv_("T", &n, &n, &l, &one, &a, A, &n, u, &one, &b, v, &one);
  dtpsv_("L", "T", "N", &n, P, u, &one);
  return weigh(P, 10) + weigh(v, 8) + 0.01 * weigh(u, 4);
}

int main(void) {
  for (Order = Row; Order <= Column; ++Order)
    for (Triangle = Upper; Triangle <= Lower; ++Triangle)
      for (Transposition = NoTrans; Transposition <= Trans; ++Transposition)
        for (Diagonal = NonUnit; Diagonal <= Unit; ++Diagonal)
          CHECK_VECTOR(all, 32);
  return rgReport();
}
