// valarray, span, complex.
// RG-FLAGS: -std=c++20
#include "rgtest.h"
#include <cmath>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

#include <cmath>
#include <complex>
#include <numbers>
#include <span>
#include <valarray>
static double f1(double x) {
  std::valarray<double> a(x, 5), b{1, 2, 3, 4, 5};
  std::valarray<double> c = a * b + std::sin(a);
  c[2] += x;
  c *= 2.0;
  return c.sum() * c.max() + (b * c).sum() +
         c.apply([](double v) { return v * v; }).min();
}
static double f2(double x) {
  std::valarray<double> m(12);
  for (int i = 0; i < 12; ++i)
    m[i] = x * i;
  std::valarray<double> row = m[std::slice(4, 4, 1)],
                        col = m[std::slice(1, 3, 4)];
  m[std::slice(0, 4, 1)] = row;
  std::valarray<double> pos = m[m > 2.0];
  return (row * row).sum() + (col * x).sum() + m.cshift(1)[0] + pos.sum();
}
static double sum(std::span<const double> s) {
  double r = 0;
  for (double d : s)
    r += d * d;
  return r;
}
static double f3(double x) {
  double a[6];
  std::span<double> s(a);
  for (size_t i = 0; i < s.size(); ++i)
    s[i] = x * i;
  return sum(s.first(3)) * sum(s.subspan(2, 3)) + s.back();
}
static double f4(double x) {
  std::complex<double> z(x, 2 * x);
  auto w = std::exp(z) * std::conj(z) / std::complex<double>(1, x);
  return std::abs(w) + std::norm(z) + std::arg(w) * std::numbers::pi;
}
int main() {
  RG_UNARY(f1, .75);
  RG_UNARY(f2, .75);
  RG_UNARY(f3, .75);
  RG_UNARY(f4, .75);
  return rgReport();
}
