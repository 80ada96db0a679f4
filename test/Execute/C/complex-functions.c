// C's complex numbers as arguments, results and elements of arrays; the functions
// of <complex.h>. The derivative of a real result with respect to z = x + iy is
// df/dx + i df/dy.
// RG-LEVELS: O0 O2 O3 fast
#include "rgtest.h"
#include <complex.h>
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
double _Complex __enzyme_autodiff_z(void *, ...);
double _Complex __enzyme_fwddiff_z(void *, ...);
float _Complex __enzyme_autodiff_c(void *, ...);
float _Complex __enzyme_fwddiff_c(void *, ...);
struct pair { double _Complex z, w; };
struct pair __enzyme_autodiff_zz(void *, ...);
extern int enzyme_dup, enzyme_out, enzyme_const;
#undef I
#define I __builtin_complex(0.0, 1.0)
#define RE(Z) ((double *)&(Z))[0]
#define IM(Z) ((double *)&(Z))[1]

static double real_of(double _Complex z) {
  double _Complex w = cexp(z) * csqrt(z) / (z + 2 * I) + cpow(z, 1.5 - 0.5 * I) + clog(z);
  return creal(w) + cimag(w) * cabs(z) - carg(w);
}
static double trigonometry(double _Complex z) {
  double _Complex w = csin(z) * ccosh(z) + ctan(z) / csinh(z) + casin(z / 4) * cacos(z / 3) + catanh(z / 5);
  w += conj(w) * ccos(z) + ctanh(z) * casinh(z) + cacosh(z + 3) * catan(z) + cproj(z);
  return creal(w) * cimag(w);
}
static double _Complex holomorphic(double _Complex z) { return z * z * z + cexp(z) / z; }
static double two(double _Complex z, double _Complex w, double s) {
  return cabs(z * w * s) + creal(z / w) * s + cimag(conj(z) * w);
}
static float single(float _Complex z) {
  float _Complex w = cexpf(z) / (z + 1) + csqrtf(z) * conjf(z) + cpowf(z, 2);
  return crealf(w) + cimagf(w) + cabsf(z) + cargf(z);
}
static float _Complex single_map(float _Complex z) { return z * z - clogf(z); }

/* Discrete Fourier transform in a VLA, its spectrum weighted. */
static double spectrum(const double _Complex *x, int n) {
  double _Complex f[n];
  for (int k = 0; k < n; ++k) {
    f[k] = 0;
    for (int j = 0; j < n; ++j)
      f[k] += x[j] * cexp(-2 * M_PI * I * j * k / n);
  }
  double s = 0;
  for (int k = 0; k < n; ++k)
    s += (k + 1) * creal(f[k] * conj(f[k]));
  return s;
}
/* Newton's method for a root of z^3 = c, from a start that depends on c. */
static double _Complex root(double _Complex c) {
  double _Complex z = 1 + 0.1 * c;
  for (int i = 0; i < 60 && cabs(z * z * z - c) > 1e-14; ++i)
    z -= (z * z * z - c) / (3 * z * z);
  return z;
}
static double root_real(double _Complex c) {
  double _Complex z = root(c);
  return creal(z) + 2 * cimag(z);
}
static void scale(double _Complex *x, int n, double _Complex *by) {
  for (int i = 0; i < n; ++i)
    x[i] *= by[i] * by[i];
}
static double in_place(double _Complex *x, int n) {
  double _Complex by[n];
  for (int i = 0; i < n; ++i)
    by[i] = x[n - 1 - i] + i * I;
  double _Complex copy[n];
  for (int i = 0; i < n; ++i)
    copy[i] = x[i];
  scale(copy, n, by);
  double _Complex s = 0;
  for (int i = 0; i < n; ++i)
    s += copy[i];
  return cabs(s);
}

#define CHECK(F)                                                               \
  do {                                                                         \
    double _Complex g = __enzyme_autodiff_z((void *)F, z);                     \
    RG_GRAD(creal(g), F(z), RE(z));                                            \
    RG_GRAD(cimag(g), F(z), IM(z));                                            \
    double _Complex along = 0.6 - 0.8 * I;                                     \
    RG_NEAR(__enzyme_fwddiff((void *)F, enzyme_dup, z, along),                 \
            0.6 * creal(g) - 0.8 * cimag(g));                                  \
  } while (0)

int main(void) {
  double _Complex z = 0.8 + 0.6 * I, w = -0.4 + 1.1 * I;
  CHECK(real_of);
  CHECK(trigonometry);
  CHECK(root_real);

  double _Complex t = __enzyme_fwddiff_z((void *)holomorphic, enzyme_dup, z, w);
  double _Complex want = w * (3 * z * z + cexp(z) / z - cexp(z) / (z * z));
  RG_NEAR(creal(t), creal(want));
  RG_NEAR(cimag(t), cimag(want));
  t = __enzyme_fwddiff_z((void *)root, enzyme_dup, z, w);
  double _Complex r = root(z);
  want = w / (3 * r * r);
  RG_NEAR(creal(t), creal(want));
  RG_NEAR(cimag(t), cimag(want));

  double s = 1.3;
  struct pair g = __enzyme_autodiff_zz((void *)two, z, w, enzyme_const, s);
  RG_GRAD(creal(g.z), two(z, w, s), RE(z));
  RG_GRAD(cimag(g.z), two(z, w, s), IM(z));
  RG_GRAD(creal(g.w), two(z, w, s), RE(w));
  RG_GRAD(cimag(g.w), two(z, w, s), IM(w));

  float _Complex c = 0.8f + 0.6f * I;
  float _Complex gc = __enzyme_autodiff_c((void *)single, c);
  float _Complex tc = __enzyme_fwddiff_c((void *)single_map, enzyme_dup, c, (float _Complex)w);
  want = w * (2 * z - 1 / z);
  RG_WITHIN(crealf(tc), creal(want), 1e-5);
  RG_WITHIN(cimagf(tc), cimag(want), 1e-5);
  float h = 1e-2f;
  RG_WITHIN(crealf(gc), (single(c + h) - single(c - h)) / (2 * h), 3e-3);
  RG_WITHIN(cimagf(gc), (single(c + h * (float _Complex)I) - single(c - h * (float _Complex)I)) / (2 * h), 3e-3);

  double _Complex x[5], dx[5] = {0}, dy[5] = {0};
  for (int i = 0; i < 5; ++i)
    x[i] = sin(i + 1.0) + I * cos(2.0 * i);
  __enzyme_autodiff((void *)spectrum, enzyme_dup, x, dx, 5);
  __enzyme_autodiff((void *)in_place, enzyme_dup, x, dy, 5);
  for (int i = 0; i < 5; ++i) {
    RG_GRAD(creal(dx[i]), spectrum(x, 5), RE(x[i]));
    RG_GRAD(cimag(dx[i]), spectrum(x, 5), IM(x[i]));
    RG_GRAD(creal(dy[i]), in_place(x, 5), RE(x[i]));
    RG_GRAD(cimag(dy[i]), in_place(x, 5), IM(x[i]));
    double _Complex v[5] = {0};
    v[i] = I;
    RG_NEAR(__enzyme_fwddiff((void *)spectrum, enzyme_dup, x, v, 5), cimag(dx[i]));
    RG_NEAR(__enzyme_fwddiff((void *)in_place, enzyme_dup, x, v, 5), cimag(dy[i]));
  }
  return rgReport();
}
