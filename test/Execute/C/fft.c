// A recursive FFT in place on interleaved complex numbers, with a scratch block
// per level; checked against the transform's own linearity and by differences.
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
void __enzyme_autodiff_v(void *, ...);
double __enzyme_fwddiff(void *, ...);

static void fft(double *z, int n, int sign) {
  if (n == 1)
    return;
  double *t = malloc(2 * n * sizeof *t);
  int h = n / 2;
  for (int i = 0; i < h; ++i) {
    t[2 * i] = z[4 * i];
    t[2 * i + 1] = z[4 * i + 1];
    t[n + 2 * i] = z[4 * i + 2];
    t[n + 2 * i + 1] = z[4 * i + 3];
  }
  fft(t, h, sign);
  fft(t + n, h, sign);
  for (int k = 0; k < h; ++k) {
    double a = sign * 2 * 3.14159265358979323846 * k / n;
    double wr = cos(a), wi = sin(a);
    double re = wr * t[n + 2 * k] - wi * t[n + 2 * k + 1];
    double im = wr * t[n + 2 * k + 1] + wi * t[n + 2 * k];
    z[2 * k] = t[2 * k] + re;
    z[2 * k + 1] = t[2 * k + 1] + im;
    z[n + 2 * k] = t[2 * k] - re;
    z[n + 2 * k + 1] = t[2 * k + 1] - im;
  }
  free(t);
}
static double power(const double *in, int n) {
  double z[32], s = 0;
  memcpy(z, in, 2 * n * sizeof *z);
  fft(z, n, -1);
  for (int k = 0; k < n; ++k) {
    double p = z[2 * k] * z[2 * k] + z[2 * k + 1] * z[2 * k + 1];
    s += p * p * (k + 1) * 1e-3;
  }
  return s;
}

int main(void) {
  double z[32], d[32] = {0}, v[32] = {0};
  for (int i = 0; i < 32; ++i)
    z[i] = sin(1.0 + 2 * i);
  __enzyme_autodiff((void *)power, z, d, 16);
  RG_GRADS(d, power(z, 16), z, 32);
  v[5] = 1;
  RG_NEAR(__enzyme_fwddiff((void *)power, z, v, 16), d[5]);
  // The adjoint of the transform is the transform with the other sign.
  double x[16] = {0}, w[16], u[16];
  for (int i = 0; i < 16; ++i)
    u[i] = w[i] = cos(3.0 * i);
  fft(u, 8, +1);
  __enzyme_autodiff_v((void *)fft, x, w, 8, -1);
  for (int i = 0; i < 16; ++i)
    RG_NEAR(w[i], u[i]);
  return rgReport();
}
