// Where x equals a constant the derivative is that of the branch taken: LLVM puts
// the constant in the place of x, whose derivative would be lost.
// RG-LEVELS: O0 O1 O2 O3 Os fast
#include "rgtest.h"
#include <math.h>
#include <string.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_const, enzyme_dup;

static double branch(double x) {
  if (x == 2)
    return x * x;
  return 7 * x;
}
static double chosen(double x) { return x != 1.5 ? sin(x) : x * x * x; }
static float single(float x) { return x == 0.25f ? 3 * x : x * x; }
static double zero(double x) { return x == 0 ? 5 * x : cos(x); }
__attribute__((noinline)) static double power(double x, double p) {
  if (p == 2)
    return x * x;
  if (p == 3)
    return x * x * x * (p - 2);
  return pow(x, p);
}
static double callee(double x, double p) { return power(x, p) + power(x, 3) + power(x, x); }
static double loop(double x) {
  double s = 0, y = 1;
  for (int i = 0; i < 5; ++i) {
    y = y == 3 ? y * x : y + 1;
    s += y;
  }
  return s;
}

/* The constant on the left, and one that only inlining or propagation shows. */
static double left(double x) {
  if (2.0 == x)
    return x * x;
  return x;
}
static double leftUnequal(double x) { return 2.0 != x ? x : x * x * x; }
static int same(double a, double b) { return a == b; }
static double inlined(double x) {
  const double two = 2;
  if (same(two, x))
    return x * x;
  return same(x, 3) ? x * x * x : x;
}
static double ofSquare(double x) {
  double y = x * x;
  if (4.0 == y)
    return y * x;
  return y;
}
static double zeroOrLine(double x) { return x == 0 ? 3 * x : x; }
static double between(double x) {
  if (x >= 2.0 && x <= 2.0)
    return x * x;
  return !(x < 3) && !(x > 3) ? x * x * x : x;
}
static double assumed(double x) {
  if (x != 2)
    __builtin_unreachable();
  return x * x;
}
/* The bits of x, read as an integer, tell what x is. */
static double byBits(const double *x) {
  unsigned long bits;
  memcpy(&bits, x, sizeof bits);
  if (bits == 0x4000000000000000ul)
    return *x * *x;
  return *x;
}
static float byBitsSingle(const float *x) {
  unsigned bits;
  memcpy(&bits, x, sizeof bits);
  return bits != 0x40000000u ? *x : *x * *x;
}
static double twoNumbers(double x, double y) { return x == y ? x * x * y : x; }

#define BOTH(F, X, WANT)                                                                           \
  RG_NEAR(__enzyme_autodiff((void *)F, X), WANT);                                                  \
  RG_NEAR(__enzyme_fwddiff((void *)F, X, 1.0), WANT)

float __enzyme_autodiff_single(void *, ...);

int main(void) {
  BOTH(branch, 2.0, 4);
  BOTH(branch, 3.0, 7);
  BOTH(chosen, 1.5, 3 * 1.5 * 1.5);
  BOTH(zero, 0.0, 5);
  BOTH(loop, 1.25, 9);
  BOTH(left, 2.0, 4);
  BOTH(leftUnequal, 2.0, 12);
  BOTH(inlined, 2.0, 4);
  BOTH(inlined, 3.0, 27);
  BOTH(ofSquare, 2.0, 12);
  BOTH(zeroOrLine, 0.0, 3);
  BOTH(between, 2.0, 4);
  BOTH(between, 3.0, 27);
  BOTH(assumed, 2.0, 4);
  RG_NEAR(__enzyme_autodiff((void *)twoNumbers, 2.0, enzyme_const, 2.0), 8);
  RG_NEAR(__enzyme_autodiff((void *)twoNumbers, enzyme_const, 2.0, 2.0), 4);
  RG_NEARF(__enzyme_autodiff_single((void *)single, 0.25f), 3);
  // x = 2: 2x, 3x^2, and x^x by the branch for p = 2, in which p does not occur.
  RG_NEAR(__enzyme_autodiff((void *)callee, 2.0, enzyme_const, 2.0), 4 + 12 + 4);
  RG_NEAR(__enzyme_autodiff((void *)callee, 2.0, enzyme_const, 3.0), 12 + 12 + 4);
  double two = 2, dtwo = 0;
  __enzyme_autodiff((void *)byBits, enzyme_dup, &two, &dtwo);
  RG_NEAR(dtwo, 4);
  float twof = 2, dtwof = 0;
  __enzyme_autodiff((void *)byBitsSingle, enzyme_dup, &twof, &dtwof);
  RG_NEARF(dtwof, 4);
  return rgReport();
}
