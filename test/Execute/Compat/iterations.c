// __enzyme_iter(n, step): the series gets a term more with each derivative, and
// none without one.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <math.h>
unsigned long __enzyme_iter(unsigned long, unsigned long);
int __enzyme_iter_int(int, int);
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double power(double x, unsigned long n) {
  double p = 1;
  for (unsigned long i = 0; i < n; ++i)
    p *= x;
  return p;
}
// The sum of x^i for i below n: its derivative has i x^(i-1) for i below n + 1.
static double geometric(double x) {
  unsigned long n = __enzyme_iter(4, 1);
  double s = 0;
  for (unsigned long i = 0; i < n; ++i)
    s += power(x, i);
  return s;
}
static double first(double x) { return __enzyme_fwddiff((void *)geometric, x, 1.0); }
static double second(double x) { return __enzyme_fwddiff((void *)first, x, 1.0); }
static double third(double x) { return __enzyme_autodiff((void *)second, x); }
static double plain(double x) {
  double s = 0;
  for (int i = 0, n = __enzyme_iter_int(3, 0); i < n; ++i)
    s += x * i;
  return s;
}
__attribute__((noinline)) static double called(double x, int m) {
  double s = 1;
  for (int i = 0, n = __enzyme_iter_int(m, 2); i < n; ++i)
    s *= x;
  return s;
}
static double outer(double x) { return called(x, 3); }

int main(void) {
  double x = 0.5;
  RG_NEAR(geometric(x), 1 + x + x * x + x * x * x);
  RG_NEAR(first(x), 1 + 2 * x + 3 * x * x + 4 * x * x * x); // 5 terms
  RG_NEAR(__enzyme_autodiff((void *)geometric, x), first(x));
  RG_NEAR(second(x), 2 + 6 * x + 12 * x * x + 20 * x * x * x);  // 6 terms
  RG_NEAR(third(x), 6 + 24 * x + 60 * x * x + 120 * x * x * x); // 7 terms
  RG_NEAR(__enzyme_autodiff((void *)plain, x), 3);
  RG_NEAR(outer(x), x * x * x);
  RG_NEAR(__enzyme_autodiff((void *)outer, x), 5 * power(x, 4));
  return rgReport();
}
