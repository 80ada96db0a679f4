// RG-LEVELS: O0 O2
// Arithmetic on the bits of floats as vector mathematics does it: rounding by a
// large constant has derivative 0, a mantissa is a multiple of its float.
#include "rgtest.h"
#include <math.h>
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

// The logarithm as mathematical libraries make it of the number's bits, which
// are read from memory.
static double logByParts(const double *x) {
  double s = 0;
  for (int i = 0; i < 4; ++i) {
    uint64_t u;
    memcpy(&u, &x[i], 8);
    int e = (int)((u >> 52) & 0x7ff) - 1023;
    u = (u & 0x000fffffffffffffu) | 0x3ff0000000000000u;
    double m;
    memcpy(&m, &u, 8);
    s += (i + 1) * (log(m) + e * 0.69314718055994530942);
  }
  return s;
}
void __enzyme_autodiffp(void *, const double *, double *);

int main(void) {
  double x = 2.3;
  double points[4] = {0.3, 1, 5e9, -2}, slopes[4] = {0};
  __enzyme_autodiffp((void *)logByParts, points, slopes);
  for (int i = 0; i < 4; ++i)
    RG_NEAR(slopes[i], (i + 1) / points[i]);
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
