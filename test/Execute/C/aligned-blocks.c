// Blocks that an allocator of the program's own aligns by hand, with the address to be freed before each: of
// numbers, of counts, and of a struct that leads to both.
// RG-LEVELS: O0 O2 O3
#include "rgtest.h"
#include <math.h>
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
int enzyme_dup, enzyme_const;

static void *aligned(size_t n) {
  void *block = malloc(n + 64);
  if (!block)
    return 0;
  void *p = (void *)(((size_t)block & ~(size_t)63) + 64);
  *((void **)p - 1) = block;
  return p;
}
static void release(void *p) {
  if (p)
    free(*((void **)p - 1));
}
typedef struct { double *values; int *columns, *starts; int rows; } Sparse;
static double product(const double *x, int n) {
  Sparse *a = aligned(sizeof *a);
  a->rows = n;
  a->starts = aligned(sizeof(int) * (n + 1));
  int total = 0;
  for (int i = 0; i < n; ++i) {
    a->starts[i] = total;
    total += 1 + (i > 0);
  }
  a->starts[n] = total;
  a->columns = aligned(sizeof(int) * total);
  a->values = aligned(sizeof(double) * total);
  int *next = aligned(sizeof(int) * n);
  for (int i = 0; i < n; ++i)
    next[i] = a->starts[i];
  for (int i = 0; i < n; ++i) {
    int at = next[i]++;
    a->columns[at] = i;
    a->values[at] = 3 + sin(x[i]);
    if (i) {
      at = next[i]++;
      a->columns[at] = i - 1;
      a->values[at] = x[i] * x[i - 1];
    }
  }
  double s = 0;
  for (int i = 0; i < n; ++i) {
    double r = 0;
    for (int k = a->starts[i]; k < a->starts[i + 1]; ++k)
      r += a->values[k] * (a->columns[k] + 1);
    s += r * r;
  }
  release(next);
  release(a->values);
  release(a->columns);
  release(a->starts);
  release(a);
  return s;
}
#define N 12
int main(void) {
  double x[N], d[N] = {0};
  for (int i = 0; i < N; ++i)
    x[i] = 0.3 + 0.1 * i;
  __enzyme_autodiff((void *)product, enzyme_dup, x, d, enzyme_const, N);
  for (int i = 0; i < N; ++i) {
    double t[N] = {0};
    t[i] = 1;
    RG_GRAD(d[i], product(x, N), x[i]);
    RG_NEAR(__enzyme_fwddiff((void *)product, enzyme_dup, x, t, enzyme_const, N), d[i]);
  }
  return rgReport();
}
