// static inline, always_inline and noinline helpers, called several times with
// different activity.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static inline double square(double x) { return x * x; }
__attribute__((always_inline)) static inline double twice(double x) {
  return x + x;
}
__attribute__((noinline)) static double affine(double a, double x, double b) {
  return a * x + b;
}
__attribute__((noinline)) static double constant(int n) { return n * 0.5; }

static double f(double x) {
  double a = square(x) + twice(x);
  double b = affine(a, x, 1.0);     // active, active, constant
  double c = affine(2.0, b, square(x)); // constant, active, active
  double d = affine(constant(3), 1.5, constant(4)); // all constant
  return c * d + square(twice(b));
}

int main(void) {
  RG_UNARY(f, 0.5);
  RG_UNARY(f, -1.25);
  RG_UNARY(f, 2.0);
  return rgReport();
}
