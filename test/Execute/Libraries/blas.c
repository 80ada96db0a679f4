// BLAS by its Fortran names: scalars by reference, active ones among them, operands that are
// overwritten after use, and inactive ones.
// RG-FLAGS: -lopenblas
// REQUIRES: openblas
#include "dense.h"
#include <math.h>

double ddot_(const int *, const double *, const int *, const double *, const int *);
double dnrm2_(const int *, const double *, const int *);
double dasum_(const int *, const double *, const int *);
int idamax_(const int *, const double *, const int *);
void daxpy_(const int *, const double *, const double *, const int *, double *, const int *);
void dscal_(const int *, const double *, double *, const int *);
void dcopy_(const int *, const double *, const int *, double *, const int *);
void dswap_(const int *, double *, const int *, double *, const int *);
void drot_(const int *, double *, const int *, double *, const int *, const double *,
           const double *);
void dgemv_(const char *, const int *, const int *, const double *, const double *, const int *,
            const double *, const int *, const double *, double *, const int *);
void dger_(const int *, const int *, const double *, const double *, const int *, const double *,
           const int *, double *, const int *);
void dsymv_(const char *, const int *, const double *, const double *, const int *, const double *,
            const int *, const double *, double *, const int *);
void dsyr_(const char *, const int *, const double *, const double *, const int *, double *,
           const int *);
void dsyr2_(const char *, const int *, const double *, const double *, const int *, const double *,
            const int *, double *, const int *);
void dtrmv_(const char *, const char *, const char *, const int *, const double *, const int *,
            double *, const int *);
void dtrsv_(const char *, const char *, const char *, const int *, const double *, const int *,
            double *, const int *);
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
            const double *, const int *, const double *, const int *, const double *, double *,
            const int *);
void dsymm_(const char *, const char *, const int *, const int *, const double *, const double *,
            const int *, const double *, const int *, const double *, double *, const int *);
void dsyrk_(const char *, const char *, const int *, const int *, const double *, const double *,
            const int *, const double *, double *, const int *);
void dsyr2k_(const char *, const char *, const int *, const int *, const double *, const double *,
             const int *, const double *, const int *, const double *, double *, const int *);
void dtrmm_(const char *, const char *, const char *, const char *, const int *, const int *,
            const double *, const double *, const int *, double *, const int *);
/* With the length of each character behind, as Fortran compilers call it. */
void dtrsm_(const char *, const char *, const char *, const char *, const int *, const int *,
            const double *, const double *, const int *, double *, const int *, size_t, size_t,
            size_t, size_t);

static const int N = 6, One = 1, Two = 2;

static double level1(double *x) {
  double y[6], z[6], a = x[12] * x[13], c = cos(x[14]), s = sin(x[14]);
  int n3 = 3;
  dcopy_(&N, x, &One, y, &One);
  dcopy_(&n3, x + 6, &Two, z, &Two);
  dcopy_(&n3, x + 7, &Two, z + 1, &Two);
  daxpy_(&N, &a, x, &One, z, &One);
  dscal_(&N, &x[13], y, &One);
  dswap_(&n3, y, &One, z, &Two);
  drot_(&N, y, &One, z, &One, &c, &s);
  int Largest = idamax_(&N, y, &One) - 1;
  return ddot_(&N, y, &One, z, &One) * dnrm2_(&N, x + 6, &One) + dasum_(&N, z, &One) +
         y[Largest] * weigh(y, 6);
}
static double twiceTheSame(double *x) { return ddot_(&N, x, &One, x, &One); }
static double level2(double *x) {
  const int m = 4, n = 3, lda = 4;
  double A[12], u[4], v[3], S[16];
  for (int i = 0; i < 12; ++i)
    A[i] = x[i] * x[i];
  for (int i = 0; i < 16; ++i)
    S[i] = x[i] + 0.1 * i;
  for (int i = 0; i < 4; ++i)
    u[i] = x[12 + i];
  for (int i = 0; i < 3; ++i)
    v[i] = x[16 + i];
  dgemv_("N", &m, &n, &x[19], A, &lda, v, &One, &x[20], u, &One);
  dger_(&m, &n, &x[20], u, &One, v, &One, A, &lda);
  dgemv_("T", &m, &n, &x[19], A, &lda, u, &One, &x[21], v, &One);
  dsymv_("U", &m, &x[19], S, &lda, u, &One, &x[20], A, &One);
  dsyr_("L", &m, &x[21], u, &One, S, &lda);
  dsyr2_("U", &m, &x[19], u, &One, A + 4, &One, S, &lda);
  for (int i = 0; i < 4; ++i)
    S[5 * i] = 2 + S[5 * i] * S[5 * i];
  dtrmv_("U", "N", "N", &m, S, &lda, u, &One);
  dtrsv_("L", "T", "U", &m, S, &lda, A, &One);
  return weigh(u, 4) + weigh(v, 3) + weigh(A, 12) + 0.1 * weigh(S, 16);
}
static double level3(double *x) {
  const int m = 4, n = 3, k = 2, lda = 4, ldb = 3;
  double A[16], B[12], C[12];
  for (int i = 0; i < 16; ++i)
    A[i] = x[i];
  for (int i = 0; i < 12; ++i) {
    B[i] = x[16 + i];
    C[i] = x[i] * x[28];
  }
  dgemm_("N", "T", &m, &n, &k, &x[28], A, &lda, B, &ldb, &x[29], C, &lda);
  dgemm_("T", "N", &n, &n, &m, &x[29], C, &lda, A, &lda, &x[28], B, &ldb);
  dsymm_("L", "U", &m, &n, &x[29], A, &lda, B, &lda, &x[30], C, &lda);
  dsyrk_("L", "N", &m, &n, &x[28], C, &lda, &x[29], A, &lda);
  dsyr2k_("U", "T", &n, &m, &x[30], C, &lda, A, &lda, &x[29], B, &ldb);
  for (int i = 0; i < 4; ++i)
    A[5 * i] = 2 + A[5 * i] * A[5 * i];
  dtrmm_("L", "U", "T", "N", &m, &n, &x[29], A, &lda, C, &lda);
  dtrsm_("R", "L", "N", "U", &m, &n, &x[28], A, &lda, C, &lda, 1, 1, 1, 1);
  return weigh(A, 16) + weigh(B, 9) + 0.1 * weigh(C, 12);
}
/* In a loop, in a function of its own, one operand constant. */
__attribute__((noinline)) static void step(const double *K, double *state, double *next, double h) {
  const int n = 3;
  double one = 1;
  dcopy_(&n, state, &One, next, &One);
  dgemv_("N", &n, &n, &h, K, &n, state, &One, &one, next, &One);
  for (int i = 0; i < n; ++i)
    next[i] = sin(next[i]);
}
static const double Stiff[9] = {-1, 0.5, 0.25, 0.1, -0.8, 0.3, 0.2, 0.7, -0.4};
static double trajectory(double *x) {
  double *a = malloc(3 * sizeof(double)), *b = malloc(3 * sizeof(double));
  for (int i = 0; i < 3; ++i)
    a[i] = x[i];
  for (int s = 0; s < 10; ++s) {
    step(Stiff, a, b, x[3]);
    double *t = a;
    a = b;
    b = t;
  }
  double r = weigh(a, 3);
  free(a);
  free(b);
  return r;
}

int main(void) {
  CHECK_VECTOR(level1, 15);
  CHECK_VECTOR(twiceTheSame, 6);
  CHECK_VECTOR(level2, 22);
  CHECK_VECTOR(level3, 31);
  CHECK_VECTOR(trajectory, 4);
  return rgReport();
}
