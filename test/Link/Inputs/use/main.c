#include "common.h"
int main(void) {
  double x = 1.25;
  double a = one(x) - 8 * pow(x, 7), b = two(x) - one(x) - cos(x) - 2 * cos(2 * x);
  if (fabs(a) < 1e-9 && fabs(b) < 1e-9)
    return 0;
  printf("off by %g and %g\n", a, b);
  return 1;
}
