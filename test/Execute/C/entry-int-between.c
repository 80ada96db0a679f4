// Integers, flags, sizes and characters between active arguments, with and
// without markers.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_const, enzyme_out, enzyme_dup;

static double f(int n, double x, char kind, const double *a, size_t count,
                unsigned char flag, long shift) {
  double s = n * x;
  for (size_t i = 0; i < count; ++i)
    s += kind == 'q' ? a[i] * a[i] * x : a[i];
  if (flag)
    s *= x + shift;
  return s;
}

int main(void) {
  double x = 1.5, a[3] = {1, 2, 3};
  for (int flag = 0; flag < 2; ++flag)
    for (int k = 0; k < 2; ++k) {
      char kind = k ? 'q' : 'l';
      double da[3] = {0}, db[3] = {0};
      double dx = __enzyme_autodiff((void *)f, 4, x, kind, a, da, (size_t)3,
                                    (unsigned char)flag, -7L);
      RG_GRAD(dx, f(4, x, kind, a, 3, flag, -7), x);
      RG_GRADS(da, f(4, x, kind, a, 3, flag, -7), a, 3);
      dx = __enzyme_autodiff((void *)f, enzyme_const, 4, enzyme_out, x,
                             enzyme_const, kind, enzyme_dup, a, db, enzyme_const,
                             (size_t)3, enzyme_const, (unsigned char)flag,
                             enzyme_const, -7L);
      RG_GRAD(dx, f(4, x, kind, a, 3, flag, -7), x);
      RG_NEAR(db[1], da[1]);
      RG_GRAD(__enzyme_fwddiff((void *)f, 4, x, 1.0, kind, enzyme_const, a,
                               (size_t)3, (unsigned char)flag, -7L),
              f(4, x, kind, a, 3, flag, -7), x);
    }
  return rgReport();
}
