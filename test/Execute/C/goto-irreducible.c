// Cycles with two entries, made with goto: no loop analysis sees them as loops
// until they have been rewritten.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double twoEntries(double x, int n, int startInside) {
  double s = x;
  int i = 0;
  if (startInside)
    goto inside;
head:
  s = s * x + 1.0;
  i++;
inside:
  s = s - 0.25 * s * s / (i + 2.0);
  i++;
  if (i < n)
    goto head;
  return s;
}
static double threeWay(double x, int n) {
  double a = x, b = 1;
  int i = 0;
  if (n & 1)
    goto odd;
even:
  a = a * 0.5 + b;
  if (++i > n)
    goto done;
  if (i % 3 == 0)
    goto even;
odd:
  b = b + x * a * 0.25;
  if (++i > n)
    goto done;
  if (i % 5 == 0)
    goto odd;
  goto even;
done:
  return a * b;
}

int main(void) {
  double x = 0.7;
  for (int n = 0; n < 9; ++n) {
    for (int inside = 0; inside < 2; ++inside) {
      RG_GRAD(__enzyme_autodiff((void *)twoEntries, x, n, inside),
              twoEntries(x, n, inside), x);
      RG_GRAD(__enzyme_fwddiff((void *)twoEntries, x, 1.0, n, inside),
              twoEntries(x, n, inside), x);
    }
    RG_GRAD(__enzyme_autodiff((void *)threeWay, x, n), threeWay(x, n), x);
    RG_GRAD(__enzyme_fwddiff((void *)threeWay, x, 1.0, n), threeWay(x, n), x);
  }
  return rgReport();
}
