// std::complex functions: abs, arg, polar, exp, log, sqrt, pow, sin, and a wave
// packet in an array.
#include "rgtest.h"
#include <complex>
#include <cmath>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
using Z = std::complex<double>;

static double absolute(double x) { return std::abs(Z(x, x * x)) + std::arg(Z(x, 1.0)); }
static double polar(double x) {
  Z z = std::polar(x, 2 * x);
  return z.real() * z.imag() + std::norm(z);
}
static double exponential(double x) {
  Z z = std::exp(Z(x, 3 * x));
  return z.real() + 2 * z.imag();
}
static double logarithm(double x) {
  Z z = std::log(Z(x, 1 - x));
  return z.real() * z.imag();
}
static double root(double x) {
  Z z = std::sqrt(Z(x, 2));
  return z.real() * z.imag() * x + z.real();
}
static double power(double x) {
  Z z = std::pow(Z(x, 1), 3), w = std::pow(Z(x, 0.5), Z(0.5, x));
  return z.real() - z.imag() + std::norm(w);
}
static double sine(double x) {
  Z z = std::sin(Z(x, 0.5)) * std::cos(Z(0.25, x));
  return z.real() + z.imag();
}
static double packet(double k) {
  double s = 0;
  for (int i = 0; i < 8; ++i) {
    double t = 0.25 * i;
    Z z = std::exp(Z(-t * t, k * t));
    s += std::norm(z + 1.0) * z.imag();
  }
  return s;
}

int main() {
  RG_UNARY(absolute, 0.75);
  RG_UNARY(polar, 0.75);
  RG_UNARY(exponential, 0.4);
  RG_UNARY(logarithm, 0.75);
  RG_UNARY(root, 0.75);
  RG_UNARY(power, 0.75);
  RG_UNARY(sine, 0.75);
  RG_UNARY(packet, 1.5);
  return rgReport();
}
