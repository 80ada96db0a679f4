// Second derivatives of functions that throw and catch active numbers, in callees
// that are not inlined: forward over reverse and forward over forward.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
struct Found {
  double v;
  int k;
};
__attribute__((noinline)) static void raise(int n, double v) {
  if (n == 0)
    throw v;
  if (n == 1)
    throw Found{v * v, n};
}
__attribute__((noinline)) static double deep(double x, int n) {
  if (n == 0 && x > 0.5)
    throw x * x * x;
  return n ? x * deep(x * 1.1, n - 1) : x * x;
}
static double always(double x) {
  double r = 2;
  try {
    raise(0, x);
  } catch (double v) {
    r = v;
  }
  return sin(r) * x;
}
static double byCase(double x) {
  double s = 0;
  for (int n = 0; n < 3; ++n)
    try {
      raise(n, x * (n + 1));
      s += x * x * x;
    } catch (double v) {
      s += v * v;
    } catch (const Found &f) {
      s += f.v * f.v * f.k;
    }
  return s;
}
static double frames(double x) {
  try {
    return deep(x, 3);
  } catch (double v) {
    return v * x;
  }
}
template <double (*F)(double)> static double gradient(double x) {
  return __enzyme_autodiff((void *)F, x);
}
template <double (*F)(double)> static double tangent(double x) {
  return __enzyme_fwddiff((void *)F, x, 1.0);
}
template <double (*F)(double)> static void second(double x) {
  RG_GRAD(gradient<F>(x), F(x), x);
  RG_GRAD(__enzyme_fwddiff((void *)gradient<F>, x, 1.0), gradient<F>(x), x);
  RG_GRAD(__enzyme_fwddiff((void *)tangent<F>, x, 1.0), gradient<F>(x), x);
}
int main() {
  for (double x = 0.3; x < 1; x += 0.6) {
    second<always>(x);
    second<byCase>(x);
    second<frames>(x);
  }
  return rgReport();
}
