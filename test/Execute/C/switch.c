// switch with fall-through, a default, dense and sparse cases, inside a loop and
// with a result per case.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_out, enzyme_const;

static double operate(double x, int op) {
  switch (op) {
  case 0:
    return x * x;
  case 1:
    x = x + 1; // falls through
  case 2:
    return x * x * x;
  case 40:
    return 1 / x;
  case 1000:
    return -x;
  default:
    return 2.0;
  }
}
static double machine(const double *x, int n) {
  double state = 1;
  for (int i = 0; i < n; ++i) {
    switch (i % 4) {
    case 0:
      state = state * x[i];
      break;
    case 1:
      state += x[i] * x[i];
      break;
    case 2:
      continue;
    case 3:
      state /= x[i];
    }
    state += 0.5;
  }
  return state;
}

int main(void) {
  const int ops[] = {0, 1, 2, 40, 1000, 3};
  double x = 1.25;
  for (int i = 0; i < 6; ++i) {
    int op = ops[i];
    RG_GRAD(__enzyme_autodiff((void *)operate, x, op), operate(x, op), x);
    RG_GRAD(__enzyme_fwddiff((void *)operate, x, 1.0, op), operate(x, op), x);
  }
  double a[9] = {1.5, 2, 3, 1.25, 0.5, 0.75, 4, 2, 1}, da[9] = {0};
  __enzyme_autodiff((void *)machine, a, da, 9);
  RG_GRADS(da, machine(a, 9), a, 9);
  return rgReport();
}
