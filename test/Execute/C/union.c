// Unions: the same type by two names, a variant with a tag, and the bits of a
// double looked at as an integer for a decision.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

union vector { struct { double x, y; } p; double v[2]; };
static double names(double x) {
  union vector u;
  u.p.x = x * x;
  u.p.y = 3 * x;
  return u.v[0] * u.v[1];
}
struct variant { int tag; union { double d; float f; long i; } u; };
static double variant(const struct variant *v, int n) {
  double s = 1;
  for (int i = 0; i < n; ++i)
    if (v[i].tag == 0)
      s *= v[i].u.d;
    else if (v[i].tag == 1)
      s += v[i].u.f * v[i].u.f;
    else
      s *= v[i].u.i;
  return s;
}
static double exponent(double x) {
  union { double d; unsigned long long u; } bits;
  bits.d = x;
  int e = (int)(bits.u >> 52 & 0x7ff) - 1023;
  return e > 0 ? x * e : x * x;
}
static double rebuilt(double x) { // flips the sign by the union
  union { double d; unsigned long long u; } bits = {x};
  bits.u ^= 1ull << 63;
  return bits.d * x;
}

int main(void) {
  RG_UNARY(names, 1.5);
  RG_UNARY(exponent, 6.5);
  RG_UNARY(exponent, 0.75);
  RG_UNARY(rebuilt, 2.5);
  struct variant v[4] = {{0, {.d = 2}}, {1, {.f = 3}}, {2, {.i = 5}}, {0, {.d = 7}}};
  struct variant d[4];
  memset(d, 0, sizeof d);
  __enzyme_autodiff((void *)variant, v, d, 4);
  RG_NEAR(d[0].u.d, 35);
  RG_NEARF(d[1].u.f, 6 * 35);
  RG_TRUE(d[2].u.i == 0);
  RG_NEAR(d[3].u.d, (2 + 9) * 5);
  return rgReport();
}
