// Library functions by the names of clang's builtins: in double, float and long double, those of
// elements, and what glibc called them under -ffinite-math-only.
// RG-LEVELS: O0 O2 fast
#include "rgtest.h"
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
static double doubles(double x) {
  return __builtin_exp(x) + __builtin_log(x) + __builtin_sin(x) * __builtin_cos(x) + __builtin_fabs(x) +
         __builtin_pow(x, 2.5) + __builtin_powi(x, 3) + __builtin_sqrt(x) + __builtin_fma(x, x, x) +
         __builtin_copysign(x, -1.0) + __builtin_fmax(x, 1) + __builtin_fmin(x, 1) + __builtin_hypot(x, 2) +
         __builtin_cbrt(x) + __builtin_tanh(x) + __builtin_exp2(x) + __builtin_log1p(x) + __builtin_expm1(x) +
         __builtin_atan2(x, 2) + __builtin_ldexp(x, 2) + __builtin_trunc(x) + __builtin_floor(x) +
         __builtin_ceil(x) + __builtin_round(x) + __builtin_rint(x) + __builtin_tgamma(x) +
         __builtin_lgamma(x) + __builtin_erf(x);
}
static double floats(double x) {
  return (double)(__builtin_expf((float)x) * __builtin_sinf((float)x) + __builtin_sqrtf((float)x));
}
static double floatsByHand(double x) { return exp(x) * (sin(x) + cos(x)) + 0.5 / sqrt(x); }
static double longDoubles(double x) {
  return (double)(__builtin_expl(x) * __builtin_sinl(x) + __builtin_sqrtl(x) + __builtin_fmal(x, x, 1));
}
static double elements(double x) {
  return __builtin_elementwise_sin(x) + __builtin_elementwise_exp(x) + __builtin_elementwise_max(x, 1.0) +
         __builtin_elementwise_abs(x) + __builtin_elementwise_pow(x, 2.0) + __builtin_elementwise_fma(x, x, x);
}
// Today's glibc has these for old programs only; the bodies below stand for them, and are not
// looked into.
#define FINITE(NAME) \
  double __##NAME##_finite(double); \
  __attribute__((noinline)) double __##NAME##_finite(double x) { return NAME(x); }
FINITE(exp) FINITE(log) FINITE(sqrt) FINITE(sinh) FINITE(acos) FINITE(log10)
static double finiteOnly(double x) {
  return __exp_finite(x) + __log_finite(x) * __sqrt_finite(x) + __sinh_finite(x) + __acos_finite(x / 3) +
         __log10_finite(x);
}
int main(void) {
  double x = 1.3;
  RG_UNARY(doubles, x);
  RG_WITHIN(__enzyme_autodiff((void *)floats, x), floatsByHand(x), 1e-5);
  RG_WITHIN(__enzyme_fwddiff((void *)floats, x, 1.0), floatsByHand(x), 1e-5);
  RG_UNARY(longDoubles, x);
  RG_UNARY(elements, x);
  RG_UNARY(finiteOnly, x);
  return rgReport();
}
