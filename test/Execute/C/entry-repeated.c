// One function's derivative taken many times: twice in a row, in a loop, in a
// host that is itself recursive, in gradient descent, and by two different
// requests.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_const, enzyme_out, enzyme_dup;

static double f(const double *x, int n, double a) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += (x[i] - a) * (x[i] - a) * (1 + i);
  return s;
}
static double quartic(double x) { return x * x * x * x; }

static double hostRecursive(double x, int depth) {
  if (depth == 0)
    return x;
  double d = __enzyme_autodiff((void *)quartic, x);
  return hostRecursive(d * 0.1, depth - 1) + d;
}

int main(void) {
  double x[3] = {1, 2, 3}, dx[3] = {0};
  double d1 = __enzyme_autodiff((void *)f, x, dx, 3, 0.5);
  double d2 = __enzyme_autodiff((void *)f, x, dx, 3, 0.5);
  RG_NEAR(d1, d2);
  RG_NEAR(dx[1], 2 * 2 * 2 * 1.5); // the second call added to the first
  dx[0] = dx[1] = dx[2] = 0;
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, 3, enzyme_const, 0.5);
  RG_NEAR(dx[2], 2 * 3 * 2.5);
  RG_NEAR(__enzyme_autodiff((void *)f, enzyme_const, x, 3, enzyme_out, 0.5), d1);
  RG_NEAR(__enzyme_fwddiff((void *)f, enzyme_const, x, 3, 0.5, 1.0), d1);

  for (int it = 0; it < 200; ++it) {
    double g[3] = {0};
    __enzyme_autodiff((void *)f, enzyme_dup, x, g, 3, enzyme_const, 0.75);
    for (int i = 0; i < 3; ++i)
      x[i] -= 0.1 * g[i];
  }
  for (int i = 0; i < 3; ++i)
    RG_WITHIN(x[i], 0.75, 1e-8);

  double want = 0, v = 1.1;
  for (int i = 0; i < 3; ++i) {
    double d = 4 * v * v * v;
    want += d;
    v = d * 0.1;
  }
  RG_NEAR(hostRecursive(1.1, 3), want + v);
  return rgReport();
}
