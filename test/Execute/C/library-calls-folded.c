// Library calls that become intrinsics on the way (strcpy of a literal at -O0).
#include "rgtest.h"
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
static double f(double *x) {
  char text[64], *p = text;
  strcpy(text, "1.5 2.5 3.5");
  double s = 0;
  for (int i = 0; i < 3; i++)
    s += strtod(p, &p) * x[i % 2] * x[0];
  return s * (atof("2.0") + strlen(text));
}
int main(void) {
  double x[2] = {0.8, 0.7}, d[2] = {0};
  __enzyme_autodiff((void *)f, x, d);
  RG_GRADS(d, f(x), x, 2);
  return rgReport();
}
