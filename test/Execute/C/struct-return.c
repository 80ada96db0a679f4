// Structs as results: in registers, by hidden pointer, nested in expressions,
// and as the result of the function that is differentiated in forward mode.
#include "rgtest.h"
#define NOINLINE __attribute__((noinline))
typedef struct { double re, im; } Z;
typedef struct { double v[3]; } V3;
typedef struct { float a; double b; int n; } Mixed;
double __enzyme_autodiff(void *, ...);
Z __enzyme_fwddiff_z(Z (*)(double), double, double);

NOINLINE static Z multiply(Z a, Z b) {
  Z r = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  return r;
}
NOINLINE static V3 cross(V3 a, V3 b) {
  V3 r;
  for (int i = 0; i < 3; ++i)
    r.v[i] = a.v[(i + 1) % 3] * b.v[(i + 2) % 3] - a.v[(i + 2) % 3] * b.v[(i + 1) % 3];
  return r;
}
NOINLINE static Mixed make(double x, int n) {
  Mixed m = {(float)2.0f, x * n, n + 1};
  return m;
}
static double f(double x) {
  Z z = {x, 1 - x};
  z = multiply(multiply(z, z), z);
  V3 a = {{x, 2, z.re}}, b = {{1, x * x, z.im}};
  V3 c = cross(a, cross(b, a));
  Mixed m = make(c.v[1], 3);
  return c.v[0] * c.v[2] + m.b * m.n * m.a;
}
static Z root(double x) {
  Z z = {x * x, 1 / x};
  return z;
}

int main(void) {
  double x = 0.6;
  RG_GRAD(__enzyme_autodiff((void *)f, x), f(x), x);
  Z t = __enzyme_fwddiff_z(root, 2.0, 1.0);
  RG_NEAR(t.re, 4);
  RG_NEAR(t.im, -0.25);
  return rgReport();
}
