// Vectors made inside f: sized, filled, copied, moved, returned from calls,
// assigned and destroyed.
#include "rgtest.h"
#include <vector>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static std::vector<double> powers(double x, int n) {
  std::vector<double> v(n);
  v[0] = x;
  for (int i = 1; i < n; ++i)
    v[i] = v[i - 1] * x;
  return v;
}
static double sized(double x, int n) {
  std::vector<double> v = powers(x, n);
  double s = 0;
  for (double y : v)
    s += y;
  return s;
}
static double filled(double x, int n) {
  std::vector<double> v(n, x);
  v[1] = x * x;
  double s = 1;
  for (double y : v)
    s = s * y + 1;
  return s;
}
static double copied(double x, int n) {
  std::vector<double> a = powers(x, n), b = a;
  b[0] *= 3;
  std::vector<double> c = std::move(a);
  a = b;
  c[n - 1] = a[0] * b[1];
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += a[i] * b[i] * c[i];
  return s;
}

int main() {
  double x = 0.75;
  for (int n = 2; n < 7; n += 2) {
    RG_GRAD(__enzyme_autodiff((void *)sized, x, n), sized(x, n), x);
    RG_GRAD(__enzyme_fwddiff((void *)sized, x, 1.0, n), sized(x, n), x);
    RG_GRAD(__enzyme_autodiff((void *)filled, x, n), filled(x, n), x);
    RG_GRAD(__enzyme_fwddiff((void *)filled, x, 1.0, n), filled(x, n), x);
    RG_GRAD(__enzyme_autodiff((void *)copied, x, n), copied(x, n), x);
    RG_GRAD(__enzyme_fwddiff((void *)copied, x, 1.0, n), copied(x, n), x);
  }
  return rgReport();
}
