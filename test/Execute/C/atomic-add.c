// Atomic addition and subtraction: the adjoint of what is added is the adjoint of the sum.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double f(const double *x, double *bins) {
  double t = x[0];
  for (int i = 0; i < 4; ++i) {
    __atomic_fetch_add(bins + i % 2, x[i] * x[i] * x[0], __ATOMIC_RELAXED);
    t += bins[i % 2] * x[i];
  }
  __atomic_fetch_sub(bins, t, __ATOMIC_SEQ_CST);
  return bins[0] * bins[1];
}
static double call(const double *x) {
  double bins[2] = {0.5, x[2]};
  return f(x, bins);
}
static float g(const float *x) {
  float s = x[0];
  __atomic_fetch_add(&s, x[1] * x[0], __ATOMIC_RELAXED);
  return s * s;
}

int main(void) {
  double x[4] = {0.7, -1.2, 0.4, 1.9}, d[4] = {0};
  __enzyme_autodiff((void *)call, x, d);
  for (int i = 0; i < 4; ++i) {
    RG_GRAD(d[i], call(x), x[i]);
    double e[4] = {0};
    e[i] = 1;
    RG_NEAR(__enzyme_fwddiff((void *)call, x, e), d[i]);
  }
  float y[2] = {0.5f, 2}, dy[2] = {0};
  __enzyme_autodiff((void *)g, y, dy);
  RG_NEAR(dy[0], 2 * 1.5 * 3);
  RG_NEAR(dy[1], 2 * 1.5 * 0.5);
  return rgReport();
}
