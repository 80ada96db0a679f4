#include <math.h>
void __enzyme_autodiff(void *, ...);

static double relax(const double *from, double *to, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double x = from[i];
    to[i] = x * x * x;
    sum += sin(x) * to[i];
  }
  double at = sum;
  while (at > 1)
    at = at * at * 0.1;
  return at;
}

void gradient(const double *from, double *dfrom, double *to, double *dto, int n) {
  __enzyme_autodiff((void *)relax, from, dfrom, to, dto, n);
}
