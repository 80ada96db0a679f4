// BLAS by its CBLAS names, in both orders of storage: the same numbers, the same derivatives.
// RG-FLAGS: -lopenblas
// REQUIRES: openblas
#include "dense.h"

enum { Row = 101, Column = 102, NoTrans = 111, Trans, Upper = 121, Lower, NonUnit = 131, Unit };
enum { Left = 141, Right };
double cblas_ddot(int, const double *, int, const double *, int);
float cblas_sdot(int, const float *, int, const float *, int);
double cblas_dnrm2(int, const double *, int);
void cblas_daxpy(int, double, const double *, int, double *, int);
void cblas_dscal(int, double, double *, int);
void cblas_dgemv(int, int, int, int, double, const double *, int, const double *, int, double,
                 double *, int);
void cblas_dger(int, int, int, double, const double *, int, const double *, int, double *, int);
void cblas_dsymv(int, int, int, double, const double *, int, const double *, int, double, double *,
                 int);
void cblas_dsyr(int, int, int, double, const double *, int, double *, int);
void cblas_dtrmv(int, int, int, int, int, const double *, int, double *, int);
void cblas_dtrsv(int, int, int, int, int, const double *, int, double *, int);
void cblas_dgemm(int, int, int, int, int, int, double, const double *, int, const double *, int,
                 double, double *, int);
void cblas_sgemm(int, int, int, int, int, int, float, const float *, int, const float *, int, float,
                 float *, int);
void cblas_dsymm(int, int, int, int, int, double, const double *, int, const double *, int, double,
                 double *, int);
void cblas_dsyrk(int, int, int, int, int, double, const double *, int, double, double *, int);
void cblas_dsyr2k(int, int, int, int, int, double, const double *, int, const double *, int, double,
                  double *, int);
void cblas_dtrmm(int, int, int, int, int, int, int, double, const double *, int, double *, int);
void cblas_dtrsm(int, int, int, int, int, int, int, double, const double *, int, double *, int);

static double chain(double *x, int Order) {
  const int m = 3, n = 4, lda = 5;
  double A[25], B[20], C[25], u[4], v[4];
  for (int i = 0; i < 25; ++i) {
    A[i] = x[i];
    C[i] = x[25 + i % 5] * x[i];
  }
  for (int i = 0; i < 20; ++i)
    B[i] = x[30 + i];
  for (int i = 0; i < 4; ++i)
    u[i] = v[i] = x[50 + i];
  double a = x[54], b = x[55];
  cblas_dgemv(Order, NoTrans, m, n, a, A, lda, u, 1, b, v, -1);
  cblas_dger(Order, m, n, b, u, 1, v, 1, A, lda);
  cblas_dsymv(Order, Upper, n, a, A, lda, u, 1, b, v, 1);
  cblas_dsyr(Order, Lower, n, b, v, 1, C, lda);
  cblas_dgemm(Order, NoTrans, Trans, m, n, n, a, A, lda, B, lda, b, C, lda);
  cblas_dsymm(Order, Right, Lower, m, n, b, C, lda, A, lda, a, B, lda);
  cblas_dsyrk(Order, Upper, Trans, n, m, a, B, lda, b, C, lda);
  cblas_dsyr2k(Order, Lower, NoTrans, m, n, b, A, lda, B, lda, a, C, lda);
  for (int i = 0; i < 5; ++i)
    C[6 * i] = 2 + C[6 * i] * C[6 * i];
  cblas_dtrmv(Order, Lower, Trans, Unit, n, A, lda, u, 1);
  cblas_dtrsv(Order, Upper, NoTrans, NonUnit, n, C, lda, v, 1);
  cblas_dtrmm(Order, Left, Upper, Trans, NonUnit, m, n, a, A, lda, B, lda);
  cblas_dtrsm(Order, Right, Lower, NoTrans, NonUnit, m, n, b, C, lda, B, lda);
  cblas_dscal(n, a, u, 1);
  cblas_daxpy(n, b, u, 1, v, 1);
  return weigh(A, 25) + weigh(B, 20) + 0.01 * weigh(C, 25) + cblas_ddot(n, u, 1, v, 1) +
         cblas_dnrm2(n, v, 1);
}
static double rows(double *x) { return chain(x, Row); }
static double columns(double *x) { return chain(x, Column); }

static float single(const float *x) {
  float C[4] = {0};
  cblas_sgemm(Row, NoTrans, Trans, 2, 2, 3, 1.5f, x, 3, x, 3, 0, C, 2);
  return cblas_sdot(4, C, 1, C, 1);
}
static float singleByHand(const float *x) {
  float s = 0;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      float c = 0;
      for (int k = 0; k < 3; ++k)
        c += 1.5f * x[3 * i + k] * x[3 * j + k];
      s += c * c;
    }
  return s;
}

int main(void) {
  CHECK_VECTOR(rows, 56);
  CHECK_VECTOR(columns, 56);
  float x[6] = {0.5f, -1, 0.25f, 2, 0.75f, -0.5f}, d[6] = {0}, e[6] = {0};
  float __enzyme_autodiff_float(void *, ...);
  __enzyme_autodiff_float((void *)single, x, d);
  __enzyme_autodiff_float((void *)singleByHand, x, e);
  for (int i = 0; i < 6; ++i)
    RG_NEARF(d[i], e[i]);
  return rgReport();
}
