// Products of Hessians and vectors where an adjoint is zero by its value: its
// tangent is not, and reaches the operands of functions that guard themselves
// against 0 * inf, and loops that are skipped where nothing is to be added. Where
// the guard is needed it still holds.
// RG-LEVELS: O0 O2 O3 fast
#include "rgtest.h"
#include <math.h>
void __enzyme_autodiff(void *, ...);
void __enzyme_fwddiff(void *, ...);
double __enzyme_autodiff_guarded(void *, ...);
int enzyme_const, enzyme_dup;

// Weights that are zero, as initialised ones are.
static double weighted(const double *x) {
  return x[1] * log(x[0]) + x[2] * sqrt(x[0]) + x[1] * x[2] * cbrt(x[0]) + x[2] * asin(x[3]) +
         x[1] * acosh(1 + x[0]);
}
static double powers(const double *x) { return pow(x[0], x[1]) + x[2] * pow(x[3], x[0]); }
static float singles(const float *x) {
  return x[1] * sqrtf(x[0]) + powf(x[0], x[2]) + x[2] * logf(x[3]);
}

// A loop whose result a maximum chooses is not reversed where its adjoint is zero,
// unless that is differentiated.
static double chosen(const double *x) {
  double s = 0;
  for (int i = 0; i < 20; ++i)
    s += sin(x[0] * i) * x[3];
  return (s > x[2] - 9 ? s : x[2]) * x[1];
}

#define GRADIENT(T, F)                                                                             \
  static void F##_gradient(const T *x, T *d) { __enzyme_autodiff((void *)F, x, d); }               \
  static T F##_component(const T *x, int i) {                                                      \
    T d[4] = {0};                                                                                  \
    F##_gradient(x, d);                                                                            \
    return d[i];                                                                                   \
  }
GRADIENT(double, weighted)
GRADIENT(double, powers)
GRADIENT(float, singles)
GRADIENT(double, chosen)

#define HESSIAN(T, F)                                                                              \
  do {                                                                                             \
    T x[4] = {1.25, 0, 0, 0.5};                                                                    \
    for (int i = 0; i < 4; ++i) {                                                                  \
      T t[4] = {0}, d[4] = {0}, h[4] = {0};                                                        \
      t[i] = 1;                                                                                    \
      __enzyme_fwddiff((void *)F##_gradient, enzyme_dup, x, t, enzyme_dup, d, h);                  \
      for (int j = 0; j < 4; ++j)                                                                  \
        RG_WITHIN(h[j], RG_DIFF(F##_component(x, j), x[i]), 100 * rgTolerance(sizeof(T)));          \
    }                                                                                              \
  } while (0)

// 0 * inf: where x is 0 the root counts for nothing.
static double guarded(double x, double w) { return w * sqrt(x) + w * x * log(x * x + 1) + x; }

int main(void) {
  HESSIAN(double, weighted);
  HESSIAN(double, powers);
  HESSIAN(float, singles);
  HESSIAN(double, chosen);
  double d = __enzyme_autodiff_guarded((void *)guarded, 0.0, enzyme_const, 0.0);
  RG_NEAR(d, 1);
  RG_NEAR(powers_component((double[4]){0, 0, 0, 1}, 0), 0);
  return rgReport();
}
