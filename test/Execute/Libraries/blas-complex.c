// Complex BLAS by both families of names, both orders, all operations, steps that are
// negative and not 1; rotations. Reverse against differences of what the library
// computes, and forward against reverse.
// REQUIRES: openblas
// RG-LEVELS: O0 O2
// RG-FLAGS: -lopenblas -lm
#include "rgtest.h"
#include <math.h>
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;
typedef double _Complex Z;
void cblas_zaxpy(int, const void *, const void *, int, void *, int);
void cblas_zscal(int, const void *, void *, int);
void cblas_zdscal(int, double, void *, int);
void cblas_zcopy(int, const void *, int, void *, int);
void cblas_zswap(int, void *, int, void *, int);
void cblas_zdotu_sub(int, const void *, int, const void *, int, void *);
void cblas_zdotc_sub(int, const void *, int, const void *, int, void *);
double cblas_dznrm2(int, const void *, int);
double cblas_dzasum(int, const void *, int);
unsigned long cblas_izamax(int, const void *, int);
void cblas_zgemv(int, int, int, int, const void *, const void *, int, const void *, int, const void *, void *, int);
void cblas_zgeru(int, int, int, const void *, const void *, int, const void *, int, void *, int);
void cblas_zgerc(int, int, int, const void *, const void *, int, const void *, int, void *, int);
void cblas_zgemm(int, int, int, int, int, int, const void *, const void *, int, const void *, int, const void *,
                 void *, int);
void cblas_drotg(double *, double *, double *, double *);
void cblas_drotm(int, double *, int, double *, int, const double *);
void zgemm_(const char *, const char *, const int *, const int *, const int *, const Z *, const Z *, const int *,
            const Z *, const int *, const Z *, Z *, const int *, unsigned long, unsigned long);
Z zdotc_(const int *, const Z *, const int *, const Z *, const int *);
void caxpy_(const int *, const float _Complex *, const float _Complex *, const int *, float _Complex *,
            const int *);
float cblas_scnrm2(int, const void *, int);

enum { NUMBERS = 64 };
static double weigh(const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += a[i] * a[i] * (i % 5 + 1) + a[i] * (i % 3);
  return s;
}
static double vectors(const double *p, int incx, int incy, double k) {
  double x[NUMBERS], y[NUMBERS], alpha[2] = {p[0], p[1]}, u[2], c[2];
  memcpy(x, p, sizeof x);
  for (int i = 0; i < NUMBERS; ++i)
    y[i] = p[NUMBERS - 1 - i] * p[i];
  cblas_zaxpy(4, alpha, x, incx, y, incy);
  cblas_zdotu_sub(4, x, incx, y, incy, u);
  cblas_zdotc_sub(4, x, incx, y, incy, c);
  cblas_zscal(3, u, x, incx < 0 ? -incx : incx);
  cblas_zdscal(3, k, y, 2);
  cblas_zswap(3, x, incx, y, incy);
  cblas_zcopy(2, x, incy, y + 40, incx);
  double r = cblas_dznrm2(4, y, 2) + k * cblas_dzasum(5, x, 1) + cblas_izamax(4, x, 1);
  return r + c[0] * c[1] + weigh(x, NUMBERS) + weigh(y, NUMBERS);
}
static double matrices(const double *p, int order, int ta, int tb) {
  double C[40], D[40], alpha[2] = {p[0], .5}, beta[2] = {p[1], p[2]}, none[2] = {0, 0}, y[16];
  memcpy(C, p + 20, sizeof C);
  for (int i = 0; i < 40; ++i)
    D[i] = p[i] + p[63 - i];
  cblas_zgemm(order, ta, tb, 3, 2, 3, alpha, p, 4, p + 30, 4, beta, C, 4);
  for (int i = 0; i < 16; ++i)
    y[i] = p[i + 9];
  cblas_zgemv(order, ta, 3, 3, alpha, C, 4, p + 5, 2, beta, y, -1);
  cblas_zgeru(order, 3, 2, beta, y, 1, p + 2, -2, D, 4);
  cblas_zgerc(order, 3, 2, alpha, y, -2, p + 7, 1, D, 4);
  y[14] = NAN; // with a factor of zero, what is overwritten is not read
  cblas_zgemv(order, tb, 1, 1, alpha, D, 4, p, 1, none, y + 14, 1);
  return weigh(C, 32) + weigh(D, 32) * 1e-3 + weigh(y, 16);
}
static double fortran(const Z *A, const Z *B, int n) {
  Z C[9], alpha = A[1], beta = B[2], x;
  int ld = 3, one = 1, size = 9;
  memcpy(C, B, sizeof C);
  zgemm_("c", "N", &n, &n, &n, &alpha, A, &ld, B, &ld, &beta, C, &ld, 1, 1);
  x = zdotc_(&size, C, &one, A, &one);
  return weigh((double *)C, 18) + __real__ x * __imag__ x;
}
static float single(const float *p) {
  float _Complex y[3], alpha;
  int n = 3, one = 1;
  memcpy(y, p + 6, sizeof y);
  __real__ alpha = p[1];
  __imag__ alpha = p[0];
  caxpy_(&n, &alpha, (const float _Complex *)p, &one, y, &one);
  return cblas_scnrm2(3, y, 1);
}
static double rotations(const double *p, double flag) {
  double a = p[0], b = p[1], c, s, h[5] = {flag, p[2], p[3], p[4], p[5]}, x[8], y[8];
  cblas_drotg(&a, &b, &c, &s);
  for (int i = 0; i < 8; ++i) {
    x[i] = c * p[i];
    y[i] = s * p[i + 8];
  }
  cblas_drotm(3, x, 2, y, -1, h);
  return a + b * c + weigh(x, 8) + weigh(y, 8);
}

static double p[NUMBERS], d[NUMBERS], t[NUMBERS];
static void fill(void) {
  for (int i = 0; i < NUMBERS; ++i) {
    p[i] = sin(1.7 * i + .3) + .2;
    t[i] = cos(i);
    d[i] = 0;
  }
}
static double along(void) {
  double s = 0;
  for (int i = 0; i < NUMBERS; ++i)
    s += d[i] * t[i];
  return s;
}
int main(void) {
  const int steps[][2] = {{1, 1}, {2, -1}, {-2, 3}, {-1, -2}};
  for (int k = 0; k < 4; ++k) {
    fill();
    int ix = steps[k][0], iy = steps[k][1];
    __enzyme_autodiff((void *)vectors, enzyme_dup, p, d, ix, iy, enzyme_const, .7);
    RG_GRADS(d, vectors(p, ix, iy, .7), p, NUMBERS);
    RG_WITHIN(__enzyme_fwddiff((void *)vectors, enzyme_dup, p, t, ix, iy, enzyme_const, .7), along(), 1e-9);
  }
  for (int order = 101; order <= 102; ++order)
    for (int ta = 111; ta <= 113; ++ta)
      for (int tb = 111; tb <= 113; ++tb) {
        fill();
        __enzyme_autodiff((void *)matrices, enzyme_dup, p, d, order, ta, tb);
        RG_GRADS(d, matrices(p, order, ta, tb), p, NUMBERS);
        RG_WITHIN(__enzyme_fwddiff((void *)matrices, enzyme_dup, p, t, order, ta, tb), along(), 1e-9);
      }
  fill();
  __enzyme_autodiff((void *)fortran, enzyme_dup, (Z *)p, (Z *)d, enzyme_dup, (Z *)p + 9, (Z *)d + 9, 3);
  RG_GRADS(d, fortran((Z *)p, (Z *)p + 9, 3), p, 36);
  float fp[12], fd[12] = {0};
  for (int i = 0; i < 12; ++i)
    fp[i] = (float)p[i];
  __enzyme_autodiff((void *)single, enzyme_dup, fp, fd);
  RG_GRADS(fd, single(fp), fp, 12);
  for (int flag = -2; flag <= 1; ++flag) {
    fill();
    p[1] = flag == 0 ? 2 : p[1]; // either may be the larger
    __enzyme_autodiff((void *)rotations, enzyme_dup, p, d, enzyme_const, (double)flag);
    RG_GRADS(d, rotations(p, flag), p, 16);
    RG_WITHIN(__enzyme_fwddiff((void *)rotations, enzyme_dup, p, t, enzyme_const, (double)flag), along(), 1e-9);
  }
  return rgReport();
}
