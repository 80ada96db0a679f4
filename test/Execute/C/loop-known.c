// Loops whose trip count is a constant: rolled, nested, with a stride and
// counting down; values carried around the loop.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double repeated(double x) {
  double r = x;
  for (int i = 0; i < 20; ++i)
    r = r * 0.75 + x * x / (r + i + 2.0);
  return r;
}
static double nested(double x) {
  double s = 0;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 7; ++j)
      s = s * 0.5 + x * i - s * x / (j + 1);
  return s;
}
static double strided(double x) {
  double s = 1;
  for (int i = 30; i > 2; i -= 3)
    s = s * x / i + s;
  for (unsigned u = 1; u < 200; u *= 2)
    s += x * x / u;
  return s;
}
static double fibonacci(double x) {
  double a = x, b = x * x;
  for (int i = 0; i < 8; ++i) {
    double t = a + b * 0.5;
    a = b;
    b = t;
  }
  return a * b;
}

int main(void) {
  RG_UNARY(repeated, 0.8);
  RG_UNARY(nested, 0.6);
  RG_UNARY(strided, 1.4);
  RG_UNARY(fibonacci, 0.9);
  return rgReport();
}
