// A chain of calls that must stay calls: values, pointers and both go down, and
// the callee's results are used before and after other calls change memory.
#include "rgtest.h"
#include <math.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
#define NOINLINE __attribute__((noinline))

NOINLINE static double leaf(double x) { return sin(x) * x; }
NOINLINE static double middle(double x, double y) { return leaf(x) * leaf(y) + y; }
NOINLINE static void update(double *x, int n, double factor) {
  for (int i = 0; i < n; ++i)
    x[i] = x[i] * factor + leaf(x[i]);
}
NOINLINE static double total(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * x[i];
  return s;
}
NOINLINE static double onlyReads(const double *x) { return x[0] / x[1]; }

static double f(const double *in, int n) {
  double work[8];
  for (int i = 0; i < n; ++i)
    work[i] = in[i];
  double before = onlyReads(work);
  update(work, n, middle(in[0], before));
  double after = onlyReads(work);
  update(work, n, after);
  return total(work, n) + before * after;
}

int main(void) {
  double x[4] = {0.5, 1.25, -0.75, 1}, dx[4] = {0};
  __enzyme_autodiff((void *)f, x, dx, 4);
  RG_GRADS(dx, f(x, 4), x, 4);
  for (int i = 0; i < 4; ++i) {
    double v[4] = {0};
    v[i] = 1;
    RG_GRAD(__enzyme_fwddiff((void *)f, x, v, 4), f(x, 4), x[i]);
  }
  return rgReport();
}
