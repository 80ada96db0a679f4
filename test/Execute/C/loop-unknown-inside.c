// An outer loop of known length around an inner one of unknown length, and the
// other way round; both read what the other writes.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double outerKnown(const double *x, int n) {
  double total = 0;
  for (int i = 0; i < n; ++i) {
    double v = x[i];
    while (v > 0.5) {
      v = v * v * 0.5;
      total += v * x[i];
      if (v > 100)
        break;
    }
    total *= 1.0 - 0.1 * v;
  }
  return total;
}
static double outerUnknown(double x) {
  double s = x, w[3] = {x, 2 * x, 3 * x};
  while (s < 50) {
    for (int i = 0; i < 3; ++i)
      w[i] = w[i] * 1.25 + s * 0.125;
    s += w[0] + w[1] * w[2];
  }
  return s;
}
static double threeDeep(double x) {
  double s = 1;
  for (int i = 0; i < 3; ++i)
    for (double t = x; t < 6; t = t * 1.5 + 0.5)
      for (int j = 0; j < i; ++j)
        s += 0.1 * s * t / (1 + j);
  return s;
}

int main(void) {
  double x[5] = {1.25, 0.3, 1.75, 1.9, 0.8}, dx[5] = {0};
  __enzyme_autodiff((void *)outerKnown, x, dx, 5);
  RG_GRADS(dx, outerKnown(x, 5), x, 5);
  double v[5] = {1, 0, 0, 0, 0};
  RG_NEAR(__enzyme_fwddiff((void *)outerKnown, x, v, 5), dx[0]);
  RG_UNARY(outerUnknown, 0.9);
  RG_UNARY(threeDeep, 1.1);
  return rgReport();
}
