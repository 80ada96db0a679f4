// RG-LEVELS: O0 O2 O3
// Some lanes of a vector change their sign: the mask is another one in each lane, or comes from another
// number's sign, or from an integer (as in sines of four numbers at once).
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;
typedef float floats __attribute__((vector_size(16)));
typedef int ints __attribute__((vector_size(16)));

static floats conjugate(floats a) {
  ints mask = {(int)0x80000000, 0, (int)0x80000000, 0};
  return (floats)((ints)a ^ mask);
}
double f(const double *x, int n) {
  floats a = {x[0], x[1], x[2], x[3]};
  a = conjugate(a * a);
  return a[0] + 2 * a[1] + 4 * a[2] + 8 * a[3];
}

typedef double doubles __attribute__((vector_size(16)));
typedef long longs __attribute__((vector_size(16)));

/// x0^3 |x2| sign(x2) + x1^3 |x3| sign(x3)
double signs(const double *x, int n) {
  doubles a = {x[0], x[1]}, b = {x[2], x[3]};
  const longs sign = {(long)(1ul << 63), (long)(1ul << 63)};
  doubles absolute = (doubles)((longs)b & ~sign);
  doubles c = (doubles)((longs)(a * a * a * absolute) ^ ((longs)b & sign));
  return c[0] + c[1];
}
/// Alternating signs by the second bit of an integer.
double quadrants(const double *x, int n) {
  floats s = {0, 0, 0, 0};
  for (int i = 0; i < n; ++i) {
    ints at = {i, i + 1, i + 2, i + 3};
    floats a = {x[0], x[1], x[2], x[3]};
    s += (floats)((ints)(a * a) ^ ((at & 2) << 30));
  }
  return s[0] + 2 * s[1] + 4 * s[2] + 8 * s[3];
}

int main(void) {
  double x[4] = {0.5, 1.5, -2.25, 3}, d[4] = {0};
  const double by[4] = {-1, 2, -4, 8};
  __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, 4);
  for (int i = 0; i < 4; ++i) {
    double v[4] = {0};
    v[i] = 1;
    RG_NEAR(d[i], 2 * x[i] * by[i]);
    RG_NEAR(d[i], __enzyme_fwddiff((void *)f, enzyme_dup, x, v, enzyme_const, 4));
  }
  double zero[4] = {0};
  __enzyme_autodiff((void *)signs, enzyme_dup, x, zero, enzyme_const, 4);
  RG_GRADS(zero, signs(x, 4), x, 4);
  for (int i = 0; i < 4; ++i) {
    double v[4] = {0};
    v[i] = 1;
    RG_NEAR(zero[i], __enzyme_fwddiff((void *)signs, enzyme_dup, x, v, enzyme_const, 4));
  }
  // Of i = 0, 1, 2: 0, 1 and 2 plus the lane.
  const double sum[4] = {1, -1, -1, 1};
  double q[4] = {0};
  __enzyme_autodiff((void *)quadrants, enzyme_dup, x, q, enzyme_const, 3);
  for (int i = 0; i < 4; ++i)
    RG_NEAR(q[i], 2 * x[i] * sum[i] * (1 << i));
  return rgReport();
}
