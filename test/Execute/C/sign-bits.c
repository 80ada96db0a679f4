// Sign tricks through the integer bits of a double: absolute value by masking,
// negation by xor, copysign by hand, and the sign bit as a condition.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double maskedAbs(double x) {
  uint64_t bits;
  memcpy(&bits, &x, 8);
  bits &= 0x7fffffffffffffffull;
  double r;
  memcpy(&r, &bits, 8);
  return r * x;
}
static double xoredNegation(double x) {
  uint64_t bits;
  memcpy(&bits, &x, 8);
  bits ^= 0x8000000000000000ull;
  memcpy(&x, &bits, 8);
  return x * x * x;
}
static double signCondition(double x) {
  int64_t bits;
  memcpy(&bits, &x, 8);
  return bits < 0 ? x * x : 3 * x;
}
static double copySign(double x) {
  double magnitude = x * x + 1;
  return magnitude * __builtin_copysign(2.0, x) +
         __builtin_copysign(magnitude, -x);
}

int main(void) {
  for (double x = -2.25; x < 3; x += 1.5) {
    RG_UNARY(maskedAbs, x);
    RG_UNARY(xoredNegation, x);
    RG_UNARY(signCondition, x);
    RG_UNARY(copySign, x);
  }
  return rgReport();
}
