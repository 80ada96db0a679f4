// RG-LEVELS: O0 O2 O3
// A product with the Hessian of a function with a rule of the user: the rule's
// functions are differentiated in their turn.
#include "rgtest.h"
#include <math.h>

double __enzyme_autodiff(void *, ...);
void __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;

__attribute__((noinline)) static double wave(double x) { return sin(x) * x; }
static double augmented_wave(double x) { return wave(x); }
static double gradient_wave(double x, double seed) { return seed * (cos(x) * x + sin(x)); }
void *__enzyme_register_gradient_wave[] = {(void *)wave, (void *)augmented_wave, (void *)gradient_wave};

static double energy(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += wave(x[i] * x[(i + 1) % n]);
  return s;
}
static void gradient(const double *x, double *dx, int n) {
  __enzyme_autodiff((void *)energy, enzyme_dup, x, dx, enzyme_const, n);
}
static double slope(const double *x, int i) {
  double dx[3] = {0};
  gradient(x, dx, 3);
  return dx[i];
}

int main(void) {
  double x[3] = {0.5, -1.25, 2};
  for (int j = 0; j < 3; ++j) {
    double v[3] = {0}, dx[3] = {0}, hv[3] = {0};
    v[j] = 1;
    __enzyme_fwddiff((void *)gradient, enzyme_dup, x, v, enzyme_dup, dx, hv, enzyme_const, 3);
    for (int i = 0; i < 3; ++i)
      RG_GRAD(hv[i], slope(x, i), x[j]);
  }
  return rgReport();
}
