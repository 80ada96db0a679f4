// RG-LEVELS: O0 O2 O3
// Some lanes of a vector change their sign: the mask is another one in each lane.
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
  return rgReport();
}
