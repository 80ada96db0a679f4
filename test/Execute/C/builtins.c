// Compiler builtins and their float and long double forms; expectation and
// assumption hints; rounding inside arithmetic.
#include "rgtest.h"
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
float __enzyme_autodiff_f(float (*)(float), float);
long double __enzyme_autodiff_l(long double (*)(long double), long double);

static double roots(double x) {
  return __builtin_sqrt(x) * __builtin_fabs(x - 3) + __builtin_exp(-x) +
         __builtin_pow(x, 1.5) + __builtin_log(x) * __builtin_sin(x);
}
static double fused(double x) {
  return __builtin_fma(x, x, 1.0) * __builtin_fmin(x, 2.0) -
         __builtin_fmax(x * x, 1.0) + __builtin_copysign(x, -1.0);
}
static double hinted(double x) {
  __builtin_assume(x > 0);
  if (__builtin_expect(x > 1, 1))
    return x * __builtin_floor(x);
  if (x > 100)
    __builtin_unreachable();
  return x * x;
}
static float single(float x) {
  return __builtin_sqrtf(x) + __builtin_fabsf(x) * __builtin_expf(x);
}
static long double extended(long double x) {
  return sqrtl(x) * fabsl(x) + expl(-x) + powl(x, 3) + sinl(x);
}

int main(void) {
  RG_UNARY(roots, 1.5);
  RG_UNARY(fused, 1.5);
  RG_UNARY(fused, 2.5);
  RG_UNARY(hinted, 2.5);
  RG_UNARY(hinted, 0.5);
  RG_NEARF(__enzyme_autodiff_f(single, 1.0f), 0.5 + 2 * exp(1.0));
  long double x = 1.25L;
  RG_GRAD(__enzyme_autodiff_l(extended, x), extended(x), x);
  return rgReport();
}
