// Functions that return a struct whose float shares a register with an integer: its
// adjoint is a part of an integer in a struct, and both add up.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"

struct mixed {
  double sum;
  int count;
  float square;
};
struct halves {
  float first;
  int count;
};
__attribute__((noinline)) static struct mixed moments(const double *x) {
  float product = (float)(x[1] * x[0]);
  struct mixed m;
  m.sum = -(x[1] + x[0]);
  m.count = 0;
  m.square = product * product;
  return m;
}
__attribute__((noinline)) static struct halves scaled(const double *x, int n) {
  struct halves h = {(float)(x[0] * x[0] * n), n};
  return h;
}
static double f(const double *x, const double *y) {
  struct mixed a = moments(x), b = moments(y);
  struct halves h = scaled(x, a.count + 3);
  return a.sum * b.sum + a.square + b.square * 2 + h.first * h.count + h.first;
}

void __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int main(void) {
  double x[2] = {1.5, 0.5}, d[2] = {0, 0};
  __enzyme_autodiff((void *)f, x, d, x, d);
  double first = 2 * 2.0 + 3 * 2 * 0.75 * 0.5 + 4 * 3 * 2 * 1.5, second = 2 * 2.0 + 3 * 2 * 0.75 * 1.5;
  RG_NEAR(d[0], first);
  RG_NEAR(d[1], second);
  double v[2] = {1, -2};
  RG_NEAR(__enzyme_fwddiff((void *)f, x, v, x, v), first - 2 * second);
  return rgReport();
}
