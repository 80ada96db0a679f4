// std::complex arithmetic: products, quotients, mixed with reals, compound
// assignment, conj, norm, polynomial evaluation, in double and float.
#include "rgtest.h"
#include <complex>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
float __enzyme_autodiff_f(float (*)(float), float);
using Z = std::complex<double>;
struct Two {
  double A, B;
};
Two __enzyme_autodiff_two(void *, ...);

static double products(double x) {
  Z z(x, 1 - x), w = z * z * 2.0 + Z(0, 1) * x;
  w -= std::conj(z);
  w *= z;
  return w.real() * w.imag();
}
static double quotients(double x) {
  Z z(x, 2), w = (1.0 + z) / (z * z);
  w /= 3.0;
  w = 1.0 / w;
  return std::norm(w) + w.real();
}
static double mandelbrot(double x) {
  Z c(x, 0.3), z = 0;
  int n = 0;
  while (std::norm(z) < 4 && n++ < 12)
    z = z * z + c;
  return std::norm(z);
}
static double horner(const Z *c, int n, double re, double im) {
  Z z(re, im), r = 0;
  for (int i = n; i-- > 0;)
    r = r * z + c[i];
  return r.real() + 2 * r.imag();
}
static float single(float x) {
  std::complex<float> z(x, 2.0f), w = z * z + z;
  return w.real() * w.imag();
}

int main() {
  RG_UNARY(products, 0.75);
  RG_UNARY(quotients, 0.75);
  RG_UNARY(mandelbrot, 0.2);
  RG_UNARY(mandelbrot, 0.7);
  Z c[3] = {{1, 2}, {-0.5, 1}, {0.25, -1}}, dc[3] = {};
  double re = 0.5, im = -0.75;
  Two g = __enzyme_autodiff_two((void *)horner, c, dc, 3, re, im);
  RG_GRAD(g.A, horner(c, 3, re, im), re);
  RG_GRAD(g.B, horner(c, 3, re, im), im);
  double *p = reinterpret_cast<double *>(c), *d = reinterpret_cast<double *>(dc);
  RG_GRADS(d, horner(c, 3, re, im), p, 6);
  float x = 0.5f; // (x^2 - 4 + x)(4x + 2)
  RG_NEARF(__enzyme_autodiff_f(single, x), (2 * x + 1) * (4 * x + 2) + (x * x - 4 + x) * 4);
  return rgReport();
}
