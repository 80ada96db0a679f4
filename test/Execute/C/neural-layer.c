// Two dense layers with tanh and a softmax cross entropy, in double and float.
#include "rgtest.h"
#include <math.h>
double __enzyme_autodiff(void *, ...);
float __enzyme_autodiff_f(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_const, enzyme_dup;
enum { In = 3, Hidden = 5, Out = 4 };

static double loss(const double *w1, const double *b1, const double *w2,
                   const double *x, int label) {
  double h[Hidden], z[Out], top = -1e30, sum = 0;
  for (int i = 0; i < Hidden; ++i) {
    double s = b1[i];
    for (int j = 0; j < In; ++j)
      s += w1[i * In + j] * x[j];
    h[i] = tanh(s);
  }
  for (int i = 0; i < Out; ++i) {
    z[i] = 0;
    for (int j = 0; j < Hidden; ++j)
      z[i] += w2[i * Hidden + j] * h[j];
    top = z[i] > top ? z[i] : top;
  }
  for (int i = 0; i < Out; ++i)
    sum += exp(z[i] - top);
  return top + log(sum) - z[label];
}
static float lossFloat(const float *w, const float *x, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i) {
    float a = w[i] * x[i];
    s += a > 0 ? a : 0.1f * (expf(a) - 1);
  }
  return s * s;
}

int main(void) {
  double w1[Hidden * In], b1[Hidden], w2[Out * Hidden], x[In] = {1, -0.5, 0.25};
  double d1[Hidden * In] = {0}, db[Hidden] = {0}, d2[Out * Hidden] = {0};
  for (int i = 0; i < Hidden * In; ++i)
    w1[i] = sin(i + 1.0);
  for (int i = 0; i < Hidden; ++i)
    b1[i] = 0.1 * i;
  for (int i = 0; i < Out * Hidden; ++i)
    w2[i] = cos(i * 1.5);
  __enzyme_autodiff((void *)loss, w1, d1, b1, db, w2, d2, enzyme_const, x, 2);
  RG_GRADS(d1, loss(w1, b1, w2, x, 2), w1, Hidden * In);
  RG_GRADS(db, loss(w1, b1, w2, x, 2), b1, Hidden);
  RG_GRADS(d2, loss(w1, b1, w2, x, 2), w2, Out * Hidden);
  double v[Hidden] = {0, 1, 0, 0, 0};
  RG_NEAR(__enzyme_fwddiff((void *)loss, enzyme_const, w1, b1, v, enzyme_const,
                           w2, enzyme_const, x, 2), db[1]);
  float w[3] = {0.5f, -1, 2}, y[3] = {1, 0.5f, 0.25f}, dw[3] = {0};
  __enzyme_autodiff_f((void *)lossFloat, w, dw, enzyme_const, y, 3);
  RG_GRADS(dw, lossFloat(w, y, 3), w, 3);
  return rgReport();
}
