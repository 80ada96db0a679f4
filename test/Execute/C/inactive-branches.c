// Work that does not matter: values computed and dropped, inactive arrays beside
// active ones, loops with no effect on the result, an active value that is killed.
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static int iterations;
static double f(const double *x, int n) {
  double *table = malloc(n * sizeof *table), dropped = 0, s = 0;
  int *order = malloc(n * sizeof *order);
  for (int i = 0; i < n; ++i) {
    table[i] = exp(-0.1 * i); // constant
    order[i] = n - 1 - i;
  }
  for (int i = 0; i < n; ++i) {
    dropped += x[i] * x[i];
    ++iterations;
  }
  for (int i = 0; i < n; ++i)
    s += table[order[i]] * x[i] * x[order[i]];
  double killed = x[0] * 100;
  killed = 2;
  int large = dropped > 1e6;
  free(table);
  free(order);
  return s * killed + large;
}
static double onlyDecides(double x, double y) {
  int k = x > 0.5 ? 3 : 2; // x has no other influence
  double r = y;
  for (int i = 1; i < k; ++i)
    r *= y;
  return r;
}
static double zero(double x) { return x > 0 ? 1.0 : 2.0; }
typedef struct { double x, y; } Two;
Two __enzyme_autodiff_two(void *, ...);

int main(void) {
  double x[4] = {1.5, 0.5, -1, 0.75}, d[4] = {0}, v[4] = {0, 0, 1, 0};
  __enzyme_autodiff((void *)f, x, d, 4);
  RG_TRUE(iterations == 4);
  RG_GRADS(d, f(x, 4), x, 4);
  RG_NEAR(__enzyme_fwddiff((void *)f, x, v, 4), d[2]);
  Two t = __enzyme_autodiff_two((void *)onlyDecides, 0.75, 2.0);
  RG_NEAR(t.x, 0);
  RG_NEAR(t.y, 12);
  RG_NEAR(__enzyme_autodiff((void *)zero, 3.0), 0);
  RG_NEAR(__enzyme_fwddiff((void *)zero, 3.0, 1.0), 0);
  return rgReport();
}
