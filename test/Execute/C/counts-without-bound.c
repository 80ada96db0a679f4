// Of a loop whose end is read again in each iteration, LLVM knows no bound of the count but 2^64 - 1. What an iteration reads,
// the next ones write.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
int enzyme_dup, enzyme_const;
static double f(const double *x, int n, const long *span) {
  double *state = malloc((size_t)n * sizeof *state), s = 0;
  unsigned seed = 1;
  for (int i = 0; i < n; ++i)
    state[i] = x[i];
  long k = span[0];
  do {
    int many = rand_r(&seed) % 2 + 3;
    for (int i = 0; i < many; ++i)
      s += state[i] * state[i] * (double)(k + i);
    for (int i = 0; i < many; ++i)
      state[i] = 0.5 * state[i] * x[i] + 1;
  } while (k++ < span[1]);
  free(state);
  return s;
}
int main(void) {
  double x[4] = {0.3, 0.7, -0.4, 1.1}, d[4] = {0};
  long span[2] = {2, 7};
  __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, 4, enzyme_const, span);
  RG_GRADS(d, f(x, 4, span), x, 4);
  return rgReport();
}
