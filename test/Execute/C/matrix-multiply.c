// RG-LEVELS: O0 O1 O2 O3 Os fast g
// Dense matrix products: C = A B with a seed on C, in floats and doubles, the
// trace of a product, a matrix power in place.
#include "rgtest.h"
void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
double __enzyme_autodiff_d(void *, ...);
int enzyme_dup, enzyme_const;
#define N 4

static void multiply(const double *a, const double *b, double *c, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double s = 0;
      for (int k = 0; k < n; ++k)
        s += a[i * n + k] * b[k * n + j];
      c[i * n + j] = s;
    }
}
static void accumulate(const float *a, const float *b, float *c) {
  for (int k = 0; k < N; ++k)
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j)
        c[i * N + j] += a[i * N + k] * b[k * N + j];
}
static double tracePower(const double *a, int n, int power) {
  double p[N * N], q[N * N], t = 0;
  for (int i = 0; i < n * n; ++i)
    p[i] = a[i];
  for (int k = 1; k < power; ++k) {
    multiply(p, a, q, n);
    for (int i = 0; i < n * n; ++i)
      p[i] = q[i];
  }
  for (int i = 0; i < n; ++i)
    t += p[i * n + i];
  return t;
}

int main(void) {
  double a[N * N], b[N * N], c[N * N], da[N * N] = {0}, db[N * N] = {0}, dc[N * N];
  float fa[N * N], fb[N * N], fc[N * N] = {0}, ga[N * N] = {0}, gb[N * N] = {0}, gc[N * N];
  for (int i = 0; i < N * N; ++i) {
    fa[i] = a[i] = 0.25 * (i % 7) - 0.5;
    fb[i] = b[i] = 0.5 * (i % 5) - 1;
    gc[i] = dc[i] = 0.125 * (i % 3) - 0.25 * i;
  }
  double w[N * N];
  memcpy(w, dc, sizeof w);
  __enzyme_autodiff((void *)multiply, a, da, b, db, c, dc, N);
  __enzyme_autodiff((void *)accumulate, fa, ga, fb, gb, fc, gc);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      double wantA = 0, wantB = 0;
      for (int k = 0; k < N; ++k) {
        wantA += w[i * N + k] * b[j * N + k]; // W B^T
        wantB += a[k * N + i] * w[k * N + j]; // A^T W
      }
      RG_NEAR(da[i * N + j], wantA);
      RG_NEAR(db[i * N + j], wantB);
      RG_NEARF(ga[i * N + j], wantA);
      RG_NEARF(gb[i * N + j], wantB);
      RG_NEARF(gc[i * N + j], w[i * N + j]);
    }
  double d[N * N] = {0}, v[N * N] = {0};
  v[6] = 1;
  __enzyme_autodiff_d((void *)tracePower, a, d, N, 5);
  RG_GRADS(d, tracePower(a, N, 5), a, N * N);
  RG_NEAR(__enzyme_fwddiff((void *)tracePower, a, v, N, 5), d[6]);
  return rgReport();
}
