// Integers of every width and sign become floating point and back: what went
// through an integer carries no derivative, the rest does.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
float __enzyme_autodiff_f(void *, ...);
int enzyme_const;

static double truncated(double x) { return x * (double)(int)x; }
static double fraction(double x) { return (x - (long long)x) * x; }
static double scaled(double x, signed char c, unsigned char uc, short s,
                     unsigned short us, int i, unsigned u, long l,
                     unsigned long ul) {
  return x * c + x * uc + x * s + x * us + x * i + x * u + x * l + x * ul;
}
static double rounded(double x) {
  unsigned step = (unsigned)(x * 10.0 + 0.5);
  _Bool odd = step & 1;
  return odd ? x * step : x + step;
}
static float floats(float x) {
  short s = (short)(x * 4.0f);
  return x * (float)s + (float)(unsigned char)s;
}

int main(void) {
  RG_NEAR(__enzyme_autodiff((void *)truncated, 3.7), 3.0);
  RG_NEAR(__enzyme_fwddiff((void *)truncated, 3.7, 1.0), 3.0);
  RG_NEAR(__enzyme_autodiff((void *)fraction, 2.25), 2.25 + 0.25);
  RG_NEAR(__enzyme_fwddiff((void *)fraction, 2.25, 1.0), 2.25 + 0.25);
  double want = -3 + 200 - 300 + 40000 + 7 + 9u - 11 + 13;
  RG_NEAR(__enzyme_autodiff((void *)scaled, 1.5, (signed char)-3,
                            (unsigned char)200, (short)-300,
                            (unsigned short)40000, 7, 9u, -11l, 13ul),
          want);
  RG_NEAR(__enzyme_autodiff((void *)rounded, 0.72), 7.0);
  RG_NEAR(__enzyme_autodiff((void *)rounded, 0.81), 1.0);
  RG_NEAR(__enzyme_fwddiff((void *)rounded, 0.72, 2.0), 14.0);
  RG_NEARF(__enzyme_autodiff_f((void *)floats, 1.3f), 5.0);
  return rgReport();
}
