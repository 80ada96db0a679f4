// C's own complex type: products, quotients, conjugates, parts, absolute value
// by hand, and Horner's scheme over complex coefficients.
#include "rgtest.h"
#include <complex.h>
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
#undef I
#define I __builtin_complex(0.0, 1.0)

static double products(double x) {
  double _Complex z = x + (1 - x) * I, w = z * z * x + conj(z);
  return creal(w) * cimag(w);
}
static double quotient(double x) {
  double _Complex z = x * x + 2.0 * I, w = (1.0 + x * I) / z;
  return creal(w) + 3 * cimag(w);
}
static double modulus(double x) {
  double _Complex z = (2 * x) + x * x * I;
  return sqrt(creal(z) * creal(z) + cimag(z) * cimag(z));
}
static double horner(const double _Complex *c, int n, double x) {
  double _Complex z = x + 0.5 * I, r = 0;
  for (int i = n - 1; i >= 0; --i)
    r = r * z + c[i];
  return creal(r * conj(r));
}

int main(void) {
  RG_UNARY(products, 0.75);
  RG_UNARY(quotient, 0.75);
  RG_UNARY(modulus, 0.75);
  double _Complex c[3] = {1 + 2 * I, -0.5 + I, 0.25 - I}, dc[3] = {0};
  double x = 0.6;
  double dx = __enzyme_autodiff((void *)horner, c, dc, 3, x);
  RG_GRAD(dx, horner(c, 3, x), x);
  for (int i = 0; i < 3; ++i) {
    RG_GRAD(((double *)dc)[2 * i], horner(c, 3, x), ((double *)c)[2 * i]);
    RG_GRAD(((double *)dc)[2 * i + 1], horner(c, 3, x), ((double *)c)[2 * i + 1]);
  }
  return rgReport();
}
