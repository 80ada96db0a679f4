// void functions with an output array: vector-Jacobian products with seeds that
// are not all one, and Jacobian-vector products.
#include "rgtest.h"
#include <math.h>
void __enzyme_autodiff(void *, ...);
void __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_dupnoneed, enzyme_const;

static void f(const double *in, double *out) {
  out[0] = in[0] * in[1];
  out[1] = sin(in[1]) * in[2];
  out[2] = in[0] / in[2] + out[1];
  out[3] = 7.0;
}
static double weighted(const double *in, const double *w) {
  double out[4], s = 0;
  f(in, out);
  for (int i = 0; i < 4; ++i)
    s += w[i] * out[i];
  return s;
}

int main(void) {
  double x[3] = {1.5, 0.5, 2}, w[4] = {0.5, -3, 2, 10};
  double dx[3] = {0}, y[4] = {0}, dy[4] = {0.5, -3, 2, 10};
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy);
  RG_GRADS(dx, weighted(x, w), x, 3);
  RG_NEAR(y[0], 0.75); // dup: the primal result is there too
  RG_NEAR(y[3], 7.0);
  for (int i = 0; i < 4; ++i)
    RG_NEAR(dy[i], 0.0); // outputs are overwritten, so their adjoint is used up

  double dn[3] = {1, 1, 1}, yn[4], dyn[4] = {0.5, -3, 2, 10};
  __enzyme_autodiff((void *)f, enzyme_dup, x, dn, enzyme_dupnoneed, yn, dyn);
  for (int i = 0; i < 3; ++i)
    RG_NEAR(dn[i], dx[i] + 1); // shadows of inputs accumulate

  double v[3] = {0, 1, 0}, t[4] = {9, 9, 9, 9};
  __enzyme_fwddiff((void *)f, x, v, y, t);
  RG_NEAR(t[0], x[0]);
  RG_NEAR(t[1], cos(x[1]) * x[2]);
  RG_NEAR(t[2], t[1]);
  RG_NEAR(t[3], 0);
  return rgReport();
}
