// The x87 type: arithmetic, a loop and the conversions to and from double.
#include "rgtest.h"
long double __enzyme_autodiff(long double (*)(long double), long double);
long double __enzyme_fwddiff(long double (*)(long double), long double,
                             long double);
double __enzyme_autodiff_d(double (*)(double), double);

static long double cubic(long double x) { return x * x * x - 2.0L * x / 3.0L; }
static long double series(long double x) {
  long double term = 1.0L, sum = 0.0L;
  for (int i = 1; i < 12; ++i) {
    term = term * x / i;
    sum += term;
  }
  return sum;
}
static double through(double x) {
  long double wide = (long double)x * x;
  return (double)(wide + 1.0L / wide);
}

int main(void) {
  long double x = 0.625L;
  RG_GRAD(__enzyme_autodiff(cubic, x), cubic(x), x);
  RG_GRAD(__enzyme_fwddiff(cubic, x, 1.0L), cubic(x), x);
  RG_GRAD(__enzyme_autodiff(series, x), series(x), x);
  RG_GRAD(__enzyme_fwddiff(series, x, 1.0L), series(x), x);
  RG_NEAR(__enzyme_autodiff(cubic, 2.0L), 12.0 - 2.0 / 3.0);
  double y = 1.5;
  RG_GRAD(__enzyme_autodiff_d(through, y), through(y), y);
  return rgReport();
}
