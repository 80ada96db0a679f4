// Copies of long doubles, whose last bytes are padding.
#include "rgtest.h"
#include <stdlib.h>
#include <string.h>

long double __enzyme_autodiff(void *, ...);
int enzyme_dup, enzyme_const;

typedef struct {
  long double a;
  int k;
  long double b;
} S;
__attribute__((noinline)) static long double use(const S *s) { return s->a * s->a * s->k + s->b * s->a; }

static long double f(const long double *x, int n) {
  long double *copy = malloc(n * sizeof *copy), sum = 0;
  memcpy(copy, x, n * sizeof *copy);
  for (int i = 0; i < n; ++i)
    sum += copy[i] * copy[i];
  free(copy);
  S p = {x[0], 3, x[1]}, q;
  memcpy(&q, &p, sizeof q);
  return sum + use(&q);
}

int main(void) {
  long double x[3] = {1, 2, 3}, d[3] = {0};
  __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, 3);
  RG_NEAR(d[0], 2 * 1 + 6 * 1 + 2);
  RG_NEAR(d[1], 4 + 1);
  RG_NEAR(d[2], 6);
  return rgReport();
}
