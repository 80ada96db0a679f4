// RG-LEVELS: O0 O2 O3
// A recursive function moves records of 24 bytes in parts of 16: where a part begins within a record is not
// known.
#include "rgtest.h"
#include <stdlib.h>
#include <string.h>
double __enzyme_autodiff(void *, ...);
typedef struct {
  char tag[8];
  long id;
  double v;
} Record;
__attribute__((noinline)) static void halves(char *to, const char *from, size_t n) {
  if (n <= 48) {
    memcpy(to, from, n);
    return;
  }
  size_t half = n / 2 / 16 * 16;
  halves(to, from, half);
  halves(to + half, from + half, n - half);
}
static double f(double *x, int n) {
  Record *a = calloc(n, sizeof *a), *b = malloc(n * sizeof *b);
  double s = 0;
  for (int i = 0; i < n; ++i) {
    a[i].id = i;
    a[i].v = x[i] * x[i];
  }
  halves((char *)b, (char *)a, n * sizeof *a);
  for (int i = 0; i < n; ++i)
    s += b[i].v * (double)(b[i].id + 1);
  free(a);
  free(b);
  return s;
}
int main(void) {
  double x[5] = {1, 2, 3, 4, 5}, d[5] = {0};
  __enzyme_autodiff((void *)f, x, d, 5);
  RG_GRADS(d, f(x, 5), x, 5);
  return rgReport();
}
