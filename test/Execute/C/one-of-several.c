// A derivative call whose function is chosen at run time among a few, by the program
// or by an optimiser that made one call of several.
// RG-LEVELS: O0 O1 O2 O3 g
#include "rgtest.h"
#include <math.h>
extern int enzyme_const, enzyme_dup;
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
void *__enzyme_augmentfwd(void *, ...);
double __enzyme_reverse(void *, ...);

static double plus(double x) { return x + x; }
static double times(double x) { return x * x; }
static double wave(double x) { return sin(x) * x; }
static double norm(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * x[i];
  return sqrt(s);
}
static double sum(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += x[i] * i;
  return s;
}

__attribute__((noinline)) static double chosen(int which, double x) {
  double (*f)(double) = times;
  if (which == 1)
    f = plus;
  else if (which == 2)
    f = wave;
  return __enzyme_autodiff((void *)f, x);
}
__attribute__((noinline)) static void merged(int which, const double *x, double *d, int n) {
  if (which)
    __enzyme_autodiff((void *)norm, enzyme_dup, x, d, enzyme_const, n);
  else
    __enzyme_autodiff((void *)sum, enzyme_dup, x, d, enzyme_const, n);
}
__attribute__((noinline)) static double loop(double x) {
  double s = 0;
  for (int i = 0; i < 4; ++i)
    s += (i + 1) * __enzyme_fwddiff(i % 2 ? (void *)times : (void *)wave, x, 1.0);
  return s;
}
__attribute__((noinline)) static double halves(int which, double x) {
  void *f = which ? (void *)times : (void *)wave;
  void *tape = __enzyme_augmentfwd(f, x);
  return __enzyme_reverse(f, 0.0, 2.0, tape);
}

int main(void) {
  double x = 1.3, slope = sin(x) + x * cos(x);
  RG_NEAR(chosen(0, x), 2 * x);
  RG_NEAR(chosen(1, x), 2);
  RG_NEAR(chosen(2, x), slope);
  double v[3] = {1, 2, 2}, d[3] = {0};
  merged(1, v, d, 3);
  RG_NEAR(d[2], 2. / 3);
  merged(0, v, d, 3);
  RG_NEAR(d[2], 2. / 3 + 2);
  RG_NEAR(loop(x), 4 * slope + 6 * 2 * x);
  RG_NEAR(halves(0, x), 2 * slope);
  RG_NEAR(halves(1, x), 4 * x);
  return rgReport();
}
int enzyme_const, enzyme_dup;
