// RG-LEVELS: O0 O1 O2 O3 Os fast g
// memcpy(&d, p, 8): above -O0 this is a load and store of an untyped i64, which
// is one double here, two floats there, and an integer elsewhere.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double oneDouble(const double *x) {
  double d;
  memcpy(&d, x, 8);
  return d * d;
}
static double throughMemory(const double *x, int n) {
  double a[8];
  for (int i = 0; i < n; ++i)
    memcpy(&a[i], &x[n - 1 - i], sizeof(double));
  double s = 1;
  for (int i = 0; i < n; ++i)
    s = s * 0.5 + a[i] * a[i] * s;
  return s;
}
static float floatPair(const float *x) {
  float p[2];
  memcpy(p, x, 8);
  return p[0] * p[0] * p[1];
}
static void copyPair(const float *in, float *out) {
  memcpy(out, in + 1, 8);
  out[0] *= 2;
}
static void copyScaled(double *in, double *out) {
  memcpy(out, in, 8);
  in[0] *= 3;
}
struct both { int n; float f; };
static float intAndFloat(const struct both *b) {
  struct both c;
  memcpy(&c, b, sizeof c);
  return c.f * c.f * c.n;
}

int main(void) {
  double x[4] = {1.5, 2, -0.5, 0.75}, d[4] = {0};
  __enzyme_autodiff((void *)oneDouble, x, d);
  RG_NEAR(d[0], 3);
  double out = 0, dout = 5, din = 1;
  __enzyme_autodiff((void *)copyScaled, x, &din, &out, &dout);
  RG_NEAR(out, 1.5);
  RG_NEAR(x[0], 4.5);
  RG_NEAR(din, 5 + 3);
  RG_NEAR(dout, 0);
  x[0] = 1.5;
  double e[4] = {0}, v[4] = {1, 0, 0, 0};
  __enzyme_autodiff((void *)throughMemory, x, e, 4);
  RG_GRADS(e, throughMemory(x, 4), x, 4);
  RG_NEAR(__enzyme_fwddiff((void *)throughMemory, x, v, 4), e[0]);
  float f[3] = {2, 3, 5}, df[3] = {0}, g[2], dg[2] = {10, 100}, dc[3] = {0};
  float __enzyme_autodiff_f(void *, ...);
  __enzyme_autodiff_f((void *)floatPair, f, df);
  RG_NEARF(df[0], 12);
  RG_NEARF(df[1], 4);
  __enzyme_autodiff((void *)copyPair, f, dc, g, dg);
  RG_NEARF(dc[1], 20);
  RG_NEARF(dc[2], 100);
  struct both b = {3, 2}, db = {0, 0};
  __enzyme_autodiff_f((void *)intAndFloat, &b, &db);
  RG_NEARF(db.f, 12);
  RG_TRUE(db.n == 0);
  return rgReport();
}
