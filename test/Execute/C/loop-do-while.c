// do-while loops: Horner's scheme, a digit loop, a nest of both kinds.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_out, enzyme_const, enzyme_dup;

static double horner(const double *c, int n, double x) {
  double r = 0;
  do {
    r = r * x + c[--n];
  } while (n > 0);
  return r;
}
static double digits(double x, unsigned number) {
  double r = 1;
  do {
    r = r * x + number % 10;
    number /= 10;
  } while (number);
  return r;
}
static double nest(double x) {
  double r = x;
  int i = 0;
  do {
    int j = i;
    while (j-- > 0)
      r = r * 0.75 + x / (j + 1);
  } while (++i < 5);
  return r;
}

int main(void) {
  double c[5] = {1, -2, 0.5, 3, 0.25}, dc[5] = {0}, x = 1.5;
  double dx = __enzyme_autodiff((void *)horner, enzyme_dup, c, dc, 5, x);
  RG_GRAD(dx, horner(c, 5, x), x);
  RG_GRADS(dc, horner(c, 5, x), c, 5);
  RG_NEAR(dc[3], 1.5 * 1.5 * 1.5);
  RG_GRAD(__enzyme_fwddiff((void *)horner, enzyme_const, c, 5, enzyme_dup, x, 1.0),
          horner(c, 5, x), x);
  RG_GRAD(__enzyme_autodiff((void *)digits, x, 4711u), digits(x, 4711u), x);
  RG_UNARY(nest, 0.7);
  return rgReport();
}
