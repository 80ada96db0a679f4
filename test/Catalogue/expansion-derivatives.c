// Derivatives of routines that are differentiated by a body in the runtime
// (complex functions, several results), of aliases, of second order, and of
// operations that the optimiser may have speculated.
//
// RG-LEVELS: O0 O2 fast
#define _GNU_SOURCE
#include "rgtest.h"
#include <complex.h>
#include <math.h>
#undef I
#define MAKE(Re, Im) __builtin_complex(Re, Im)

double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double usesSincos(double x) {
  double s, c;
  sincos(x, &s, &c);
  return s * s * c;
}
static double usesModf(double x) {
  double i, r = modf(x, &i);
  return r * r + i * r;
}
static double usesFrexp(double x) {
  int e;
  double m = frexp(x, &e);
  return m * m * e;
}
static double usesLgammaR(double x) {
  int s;
  return lgamma_r(x, &s) * s;
}
static double usesRemquo(double x) {
  int q;
  double r = remquo(x, 0.7, &q);
  return r * r * (q + 1);
}
static double floats(double x) {
  float i, s, c, r = modff((float)x, &i);
  int e;
  sincosf((float)x, &s, &c);
  return r * s * c + frexpf((float)x, &e);
}
static double longDoubles(double x) {
  long double i, s, c, r = modfl(x, &i);
  int e;
  sincosl(x, &s, &c);
  return r * s * c + frexpl(x, &e);
}
static double aliases(double x) {
  return drem(x, 0.7) * x + gamma(x) + scalbn(x, 2) + ldexp(x, -1) * x;
}

static double roots(double x) {
  double _Complex z = MAKE(x, 0.5 * x);
  return creal(cexp(z) * csqrt(z) / clog(z));
}
static double circular(double x) {
  double _Complex z = MAKE(x, 0.7);
  return cabs(csin(z) + ccos(z) * ctan(z));
}
static double powers(double x) {
  double _Complex z = MAKE(x, 0.7), w = cpow(z, MAKE(0.3, x));
  return cimag(w) + carg(w) + creal(conj(w) * casin(z));
}
static double hyperbolic(double x) {
  double _Complex z = MAKE(x, 0.4);
  return creal(ctanh(z) * csinh(z) + ccosh(z)) +
         cimag(casinh(z) * cacosh(z) * catanh(z) + cacos(z) * catan(z));
}
static double complexFloats(double x) {
  float _Complex z = MAKE((float)x, 0.7f), w = cexpf(z) * csqrtf(z) / clogf(z);
  return crealf(w) + cabsf(z);
}
static double complexLongDoubles(double x) {
  long double _Complex z = MAKE((long double)x, 0.7L);
  long double _Complex w = cexpl(z) * csqrtl(z) / clogl(z);
  return creall(w) + cabsl(z);
}

static double sinc(double x) { return x != 0 ? sin(x) / x : 1; }
static double halfPower(double x) { return x > 0 ? x * sqrt(x) : 0; }
static double softplus(double x) { return x > 30 ? x : log1p(exp(x)); }

static double gammas(double x) { return tgamma(x) * lgamma(x) * pow(x, x); }
static double slope(double x) { return __enzyme_autodiff((void *)gammas, x); }

/** For functions that go through float: wide steps. */
#define FLOAT_UNARY(F, X)                                                      \
  do {                                                                         \
    double x = (X), h = 1e-2;                                                  \
    double Want =                                                              \
        (8 * (F(x + h) - F(x - h)) - (F(x + 2 * h) - F(x - 2 * h))) /          \
        (12 * h);                                                              \
    RG_WITHIN(__enzyme_autodiff((void *)F, x), Want, 2e-4);                    \
    RG_WITHIN(__enzyme_fwddiff((void *)F, x, 1.0), Want, 2e-4);                \
  } while (0)

int main(void) {
  RG_UNARY(usesSincos, 0.8);
  RG_UNARY(usesModf, 2.3);
  RG_UNARY(usesModf, -2.3);
  RG_UNARY(usesFrexp, 5.3);
  RG_UNARY(usesLgammaR, 2.2);
  RG_UNARY(usesLgammaR, -2.5);
  RG_UNARY(usesRemquo, 3.3);
  FLOAT_UNARY(floats, 1.3);
  RG_UNARY(longDoubles, 1.3);
  RG_UNARY(aliases, 2.3);

  RG_UNARY(roots, 1.3);
  RG_UNARY(roots, -1.3);
  RG_UNARY(circular, 0.8);
  RG_UNARY(powers, 1.3);
  RG_UNARY(hyperbolic, 0.3);
  RG_UNARY(hyperbolic, -0.3);
  FLOAT_UNARY(complexFloats, 1.3);
  RG_UNARY(complexLongDoubles, 1.3);

  // The arm that is not taken is singular.
  RG_NEAR(__enzyme_autodiff((void *)sinc, 0.0), 0);
  RG_NEAR(__enzyme_autodiff((void *)halfPower, 0.0), 0);
  RG_NEAR(__enzyme_autodiff((void *)halfPower, -1.0), 0);
  RG_NEAR(__enzyme_autodiff((void *)softplus, 1000.0), 1);
  RG_UNARY(sinc, 0.7);
  RG_UNARY(halfPower, 2.0);
  RG_UNARY(softplus, 2.0);

  double x = 1.7;
  RG_GRAD(__enzyme_fwddiff((void *)slope, x, 1.0), slope(x), x);
  return rgReport();
}
