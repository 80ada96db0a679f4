// RG-LEVELS: O0 O1 O2 O3 Os fast g
// Globals that carry derivatives inside f: a scalar, an array, a static local, a
// struct, written and read by f and by what it calls.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

double scalar;
static double array[8];
struct settings { int n; double a, b; } settings = {3, 0, 0};
double *cursor;

static double throughScalar(double x) {
  scalar = x * x;
  double y = scalar * 3;
  scalar = y + x;
  return scalar * scalar;
}
static double throughArray(double x, int n) {
  for (int i = 0; i < n; ++i)
    array[i] = x * i + (i ? array[i - 1] * x : 1);
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += array[i] * array[n - 1 - i];
  return s;
}
__attribute__((noinline)) static void setUp(double x) {
  settings.a = x;
  settings.b = settings.a * x;
}
__attribute__((noinline)) static double use(double x) {
  return settings.n * settings.a * x + settings.b;
}
static double throughCalls(double x) {
  setUp(x);
  double r = use(x + 1);
  setUp(r * 0.25);
  return use(r);
}
static double scratch(double x) {
  static double work[3];
  work[0] = x;
  work[1] = work[0] * work[0];
  work[2] = work[1] / (1 + work[0]);
  return work[2] * work[1];
}

int main(void) {
  RG_UNARY(throughScalar, 1.5);
  double x = 0.75;
  for (int n = 1; n < 8; n += 2) {
    RG_GRAD(__enzyme_autodiff((void *)throughArray, x, n), throughArray(x, n), x);
    RG_GRAD(__enzyme_fwddiff((void *)throughArray, x, 1.0, n), throughArray(x, n), x);
  }
  RG_UNARY(throughCalls, 0.5);
  RG_UNARY(scratch, 1.25);
  RG_UNARY(scratch, 0.25);
  return rgReport();
}
