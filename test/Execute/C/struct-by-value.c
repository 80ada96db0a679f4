// Structs passed by value: in registers (two doubles, float pairs, mixed) and in
// memory, through calls that are not inlined, and at the entry call itself.
#include "rgtest.h"
#define NOINLINE __attribute__((noinline))
typedef struct { double x, y; } D2;
typedef struct { float x, y; } F2;
typedef struct { double x; int n; } Mixed;
typedef struct { double v[4]; int n; } Large;
D2 __enzyme_autodiff_d2(double (*)(D2), D2);
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff_d2(double (*)(D2), D2, D2);
double __enzyme_fwddiff(void *, ...);

NOINLINE static double d2(D2 p) { return p.x * p.x * p.y + p.y * p.y; }
NOINLINE static float f2(F2 p, float s) { return p.x * p.y * s; }
NOINLINE static double mixed(Mixed m) { return m.n * m.x * m.x; }
NOINLINE static double large(Large l, double s) {
  double r = 0;
  for (int i = 0; i < l.n; ++i) {
    l.v[i] *= s; // its own copy
    r += l.v[i] * l.v[i];
  }
  return r;
}
static double all(double x) {
  D2 d = {x, x + 1};
  F2 f = {(float)x, 2.0f};
  Mixed m = {x * x, 3};
  Large l = {{x, 2 * x, 3, x * x}, 4};
  double r = d2(d) + mixed(m) + large(l, x) + l.v[1];
  return r + f2(f, 0.5f);
}
static double allInDouble(double x) { // the same without the float
  D2 d = {x, x + 1};
  Mixed m = {x * x, 3};
  Large l = {{x, 2 * x, 3, x * x}, 4};
  return d2(d) + mixed(m) + large(l, x) + l.v[1] + x;
}

int main(void) {
  double x = 0.75;
  RG_WITHIN(__enzyme_autodiff((void *)all, x), RG_DIFF(allInDouble(x), x), 1e-6);
  RG_WITHIN(__enzyme_fwddiff((void *)all, x, 1.0), RG_DIFF(allInDouble(x), x), 1e-6);
  D2 p = {3, 5}, t = {1, 0.5};
  D2 g = __enzyme_autodiff_d2(d2, p);
  RG_NEAR(g.x, 30);
  RG_NEAR(g.y, 9 + 10);
  RG_NEAR(__enzyme_fwddiff_d2(d2, p, t), 30 + 9.5);
  return rgReport();
}
