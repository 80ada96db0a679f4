// RG-LEVELS: O0 O2
// Arithmetic on the bits of floats as vector mathematics does it: rounding by a
// large constant has derivative 0, a mantissa is a multiple of its float.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
float __enzyme_autodifff(void *, float);

static double roundBy(double x) {
  double sum = x + 0x1.8p52;
  __asm__("" : "+m,x"(sum)); // as Eigen does it
  return sum - 0x1.8p52;
}
static double fraction(double x) {
  double f = x - roundBy(x);
  return f * f * x;
}
static double mantissa(double x) {
  uint64_t bits;
  memcpy(&bits, &x, 8);
  bits = (bits & ~0x7ff0000000000000u) | 0x3fe0000000000000u;
  memcpy(&x, &bits, 8);
  return x;
}
static double logOfMantissa(double x) {
  double m = mantissa(x);
  return m * m * m + x;
}
static float mantissaf(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  bits = (bits & 0x807fffff) | 0x3f800000;
  memcpy(&x, &bits, 4);
  return x * x;
}

int main(void) {
  double x = 2.3;
  RG_NEAR(__enzyme_autodiff((void *)fraction, x), 0.3 * 0.3 + 2 * 0.3 * x);
  RG_GRAD(__enzyme_autodiff((void *)logOfMantissa, x), logOfMantissa(x), x);
  for (int i = 0; i < 2; ++i) {
    x = i ? 0.0007 : -5e7;
    RG_NEAR(__enzyme_autodiff((void *)logOfMantissa, x),
            1 + 3 * mantissa(x) * mantissa(x) * mantissa(x) / x);
  }
  // 5 = 1.25 * 4
  RG_NEARF(__enzyme_autodifff((void *)mantissaf, 5), 2 * 1.25 / 4);
  return rgReport();
}
