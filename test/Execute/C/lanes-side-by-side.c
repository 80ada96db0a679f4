// Active and constant lanes joined in one vector; floats that change places
// inside an integer.
#include "rgtest.h"
#include <string.h>

typedef double v2 __attribute__((vector_size(16), aligned(8)));
typedef double v4 __attribute__((vector_size(32)));
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
void __enzyme_autodiff_void(void *, ...);
int enzyme_dup, enzyme_const;

static double join(const double *x, const double *c) {
  v2 a = *(const v2 *)x, b = *(const v2 *)c;
  v4 r = __builtin_shufflevector(a, b, 0, 1, 2, 3);
  r = r * r;
  return r[0] * r[2] + r[1] * r[3];
}

static void rotate(const float *x, float *o) {
  uint64_t a;
  memcpy(&a, x, 8);
  a = (a << 32) | (a >> 32);
  memcpy(o, &a, 8);
  o[0] = o[0] * o[0];
  o[1] = o[1] * 2;
}

int main(void) {
  double x[2] = {1.5, 2}, c[2] = {3, 4}, t[2] = {1, 0}, d[2] = {0};
  RG_GRAD(__enzyme_fwddiff((void *)join, enzyme_dup, x, t, enzyme_const, c), join(x, c), x[0]);
  __enzyme_autodiff((void *)join, enzyme_dup, x, d, enzyme_const, c);
  RG_GRAD(d[0], join(x, c), x[0]);
  RG_GRAD(d[1], join(x, c), x[1]);

  float y[2] = {2, 3}, dy[2] = {0}, o[2], ds[2] = {1, 1};
  __enzyme_autodiff_void((void *)rotate, enzyme_dup, y, dy, enzyme_dup, o, ds);
  RG_NEAR(dy[0], 2);
  RG_NEAR(dy[1], 6);
  return rgReport();
}
