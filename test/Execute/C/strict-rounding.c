// The rounding mode changes while the function runs: what the reverse sweep reads of the primal
// are the numbers that the primal computed, in its rounding mode, not others that the same
// operation gives after it.
// valgrind rounds to nearest always.
// UNSUPPORTED: memcheck
// RG-LEVELS: O0 O1 O2 O3
// RG-FLAGS: -frounding-math
#include "rgtest.h"
#include <fenv.h>
#include <math.h>

double __enzyme_autodiff(void *, ...);
void *__enzyme_augmentfwd(void *, ...);
void __enzyme_reverse(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_tape;

// A third, rounded up, and a multiple of the error of rounding.
static double upwards(const double *x) {
  int old = fegetround();
  fesetround(FE_UPWARD);
  double third = x[0] / 3;
  fesetround(old);
  double error = (third - x[0] / 3) * 0x1p60;
  return error * error * x[1];
}

__attribute__((noinline)) static int set(int mode) {
  int old = fegetround();
  fesetround(mode);
  return old;
}
static double by_helper(const double *x) {
  int old = set(FE_UPWARD);
  double third = x[0] / 3;
  set(old);
  double error = (third - x[0] / 3) * 0x1p60;
  return error * error * x[1];
}

__attribute__((noinline)) static double third_of(const double *x, int mode) {
  int old = fegetround();
  fesetround(mode);
  double third = x[0] / 3;
  fesetround(old);
  double error = (third - x[0] / 3) * 0x1p60;
  return error * error;
}
static double in_callee(const double *x) { return third_of(x, FE_UPWARD) * x[1]; }

static double loop(const double *x) {
  double s = 0;
  for (int i = 1; i < 5; ++i) {
    int old = fegetround();
    fesetround(FE_UPWARD);
    double part = x[0] / (3 * i);
    fesetround(old);
    double error = (part - x[0] / (3 * i)) * 0x1p60;
    s += error * error * x[1];
  }
  return s;
}

// The derivative by x[1] is made of numbers that depend on the rounding mode, and not 0.
#define CHECK(f)                                                                                  \
  do {                                                                                            \
    double x[2] = {1, 1}, d[2] = {0, 0}, v[2] = {0, 1};                                           \
    double want = f(x);                                                                           \
    RG_TRUE(want > 0);                                                                            \
    __enzyme_autodiff((void *)f, enzyme_dup, x, d);                                               \
    RG_TRUE(d[1] == want);                                                                        \
    RG_TRUE(fegetround() == FE_TONEAREST);                                                        \
    RG_TRUE(__enzyme_fwddiff((void *)f, enzyme_dup, x, v) == want);                               \
  } while (0)

// The caller sets the mode, and sets another one before the reverse sweep.
static void outside(const double *x, double *out) {
  double third = x[0] / 3;
  *out = third * third * x[1];
}

int main(void) {
  CHECK(upwards);
  CHECK(by_helper);
  CHECK(in_callee);
  CHECK(loop);

  double x[2] = {1, 1}, d[2] = {0, 0}, out, seed = 1;
  fesetround(FE_UPWARD);
  void *tape = __enzyme_augmentfwd((void *)outside, enzyme_dup, x, d, enzyme_dup, &out, &seed);
  double third = x[0] / 3;
  double square = third * third;
  fesetround(FE_TONEAREST);
  __enzyme_reverse((void *)outside, enzyme_dup, x, d, enzyme_dup, &out, &seed, enzyme_tape, tape);
  RG_TRUE(d[1] == square || d[1] == third * third);
  RG_TRUE(d[0] > 0);
  return rgReport();
}
