// Values that merge from three and four predecessors, merges of merges, a merge
// whose incoming values are the same, and short-circuit conditions.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double four(double x, int a, int b) {
  double r;
  if (a) {
    if (b)
      r = x * x;
    else
      r = x;
  } else {
    if (b)
      r = 1 / x;
    else
      r = 5;
  }
  double s = r * x;
  if (a && b)
    s += r;
  if (a || b)
    s *= x;
  return s + r * r;
}
static double diamondChain(double x) {
  double a = x > 1 ? x * 2 : x * 3;
  double b = a > 4 ? a * x : a + x;
  double c;
  if (b > 3)
    c = a;
  else if (b > 2)
    c = b;
  else if (b > 1)
    c = a * b;
  else
    c = 1;
  return c * c + b;
}

int main(void) {
  double x = 1.5;
  for (int k = 0; k < 4; ++k) {
    RG_GRAD(__enzyme_autodiff((void *)four, x, k & 1, k >> 1),
            four(x, k & 1, k >> 1), x);
    RG_GRAD(__enzyme_fwddiff((void *)four, x, 1.0, k & 1, k >> 1),
            four(x, k & 1, k >> 1), x);
  }
  for (double v = 0.13; v < 4; v += 0.3)
    RG_UNARY(diamondChain, v);
  return rgReport();
}
