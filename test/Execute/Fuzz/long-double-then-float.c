// Found by the fuzzer: a struct of a long double and a smaller number as the result
// of a derivative call. The long double's padding is part of it: the float lies at 16.
#include "rgtest.h"
struct lf { long double a; float b; };
struct lfd { long double a; float b; double c; long double d; };
struct lf __enzyme_autodiff_lf(void *, ...);
struct lfd __enzyme_autodiff_lfd(void *, ...);
static double two(long double a, float b) { return a * a * b; }
static double four(long double a, float b, double c, long double d) { return a * b + c * d * d; }

int main(void) {
  struct lf g = __enzyme_autodiff_lf((void *)two, 3.0L, 5.0f);
  RG_NEAR(g.a, 30);
  RG_NEAR(g.b, 9);
  struct lfd h = __enzyme_autodiff_lfd((void *)four, 2.0L, 3.0f, 4.0, 5.0L);
  RG_NEAR(h.a, 3);
  RG_NEAR(h.b, 2);
  RG_NEAR(h.c, 25);
  RG_NEAR(h.d, 40);
  return rgReport();
}
