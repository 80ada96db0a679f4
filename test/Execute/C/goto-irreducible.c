// Cycles with two entries, made with goto: no loop analysis sees them as loops
// until they have been rewritten.
#include "rgtest.h"
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_const;

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
/* One block leads to both entries, with values of its own for each. */
static double bothEntries(double x, const char *way, int n) {
  double s = 0, p, q;
  if (way[n]) {
    p = x;
    goto first;
  }
  q = x * x;
  goto second;
first:
  s += p * p;
  goto head;
second:
  s = s * x - q;
head:
  if (n == 0)
    return s;
  --n;
  p = s * 0.5 + x;
  q = x * n;
  if (way[n])
    goto first;
  goto second;
}

int main(void) {
  double x = 0.7;
  const char way[] = {0, 1, 1, 0, 1, 0, 0, 1, 1};
  for (int n = 0; n < 9; ++n) {
    for (int inside = 0; inside < 2; ++inside) {
      RG_GRAD(__enzyme_autodiff((void *)twoEntries, x, n, inside),
              twoEntries(x, n, inside), x);
      RG_GRAD(__enzyme_fwddiff((void *)twoEntries, x, 1.0, n, inside),
              twoEntries(x, n, inside), x);
    }
    RG_GRAD(__enzyme_autodiff((void *)threeWay, x, n), threeWay(x, n), x);
    RG_GRAD(__enzyme_fwddiff((void *)threeWay, x, 1.0, n), threeWay(x, n), x);
    RG_GRAD(__enzyme_autodiff((void *)bothEntries, x, enzyme_const, way, n), bothEntries(x, way, n), x);
    RG_GRAD(__enzyme_fwddiff((void *)bothEntries, x, 1.0, enzyme_const, way, n), bothEntries(x, way, n), x);
  }
  return rgReport();
}
