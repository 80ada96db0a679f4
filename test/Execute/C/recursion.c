// RG-LEVELS: O0 O1 O2 O3 Os fast g
// Recursion: linear with work after the call, binary, through a by-value
// argument that changes, and with a loop around the recursive call.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double power(double x, int n) {
  if (n == 0)
    return 1;
  double half = power(x, n / 2);
  return n % 2 ? half * half * x : half * half;
}
static double tree(double x, int depth) {
  if (depth == 0)
    return x * x;
  double left = tree(x * 0.5, depth - 1);
  double right = tree(x + 1, depth - 1);
  return left * right / (1 + left * left);
}
static double fibonacci(double x, int n) {
  return n < 2 ? x * (n + 1) : fibonacci(x, n - 1) * 0.5 + fibonacci(x, n - 2) * x;
}
static double branching(double x, int n) {
  double s = x;
  for (int i = 0; i < n; ++i)
    s += 0.25 * branching(x * s, i);
  return s;
}
static double tail(double x, double acc, int n) {
  return n == 0 ? acc : tail(x, acc * x + 1, n - 1);
}

int main(void) {
  double x = 0.8;
  for (int n = 0; n < 7; ++n) {
    RG_GRAD(__enzyme_autodiff((void *)power, x, n), power(x, n), x);
    RG_GRAD(__enzyme_fwddiff((void *)power, x, 1.0, n), power(x, n), x);
    RG_GRAD(__enzyme_autodiff((void *)fibonacci, x, n), fibonacci(x, n), x);
    RG_GRAD(__enzyme_fwddiff((void *)fibonacci, x, 1.0, n), fibonacci(x, n), x);
  }
  for (int n = 0; n < 4; ++n) {
    RG_GRAD(__enzyme_autodiff((void *)tree, x, n), tree(x, n), x);
    RG_GRAD(__enzyme_fwddiff((void *)tree, x, 1.0, n), tree(x, n), x);
    RG_GRAD(__enzyme_autodiff((void *)branching, x, n), branching(x, n), x);
  }
  RG_GRAD(__enzyme_fwddiff((void *)tail, x, 1.0, 0.5, 0.0, 6), tail(x, 0.5, 6), x);
  return rgReport();
}
