// The lesser operators: comma, compound assignment, increments inside
// expressions, assignment as a value, nested conditionals, short circuits.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double commas(double x) {
  double a, b;
  a = (b = x * x, b += 1, b * 2);
  a -= b *= x;
  return a /= b + 3, a * b;
}
static double chained(double x) {
  double a, b, c;
  a = b = c = x * 3;
  a += b++ * --c;
  return a * b - c;
}
static double indices(const double *p, int n) {
  int i = 0;
  double s = p[i++] * p[0];
  double t = p[++i];
  s += t * (i % 2 ? p[i - 1] : p[i--]);
  while (i < n && (s += p[i]) < 9)
    i++;
  return s * p[i < n ? i : 0];
}
static double shortCircuit(double x, int n) {
  double y = x;
  if (n > 2 && (y *= x) > 1.0 && (y += x) < 100)
    y = y * y;
  if (n < 2 || (y -= 3 * x) < 0)
    y = y * 2;
  return y;
}

int main(void) {
  RG_UNARY(commas, 1.25);
  RG_UNARY(chained, 1.25);
  double p[6] = {1.5, 0.5, 2, 1.25, 3, 0.75}, d[6] = {0};
  __enzyme_autodiff((void *)indices, p, d, 6);
  RG_GRADS(d, indices(p, 6), p, 6);
  for (int n = 0; n < 5; ++n)
    for (double x = 0.6; x < 2.3; x += 0.8) {
      RG_GRAD(__enzyme_autodiff((void *)shortCircuit, x, n), shortCircuit(x, n), x);
      RG_GRAD(__enzyme_fwddiff((void *)shortCircuit, x, 1.0, n), shortCircuit(x, n), x);
    }
  return rgReport();
}
