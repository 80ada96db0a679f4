// RG-LEVELS: O0 O1 O2 O3 Os fast g
// Heap memory inside f: one block, a block per iteration, blocks that are freed
// early and whose contents reverse still needs, and blocks handed between calls.
#include "rgtest.h"
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);

static double oneBlock(const double *x, int n) {
  double *a = malloc(n * sizeof *a), s = 0;
  for (int i = 0; i < n; ++i)
    a[i] = x[i] * x[(i + 1) % n];
  for (int i = 0; i < n; ++i)
    s += a[i] * a[n - 1 - i];
  free(a);
  return s;
}
static double perIteration(const double *x, int n) {
  double s = 0;
  for (int i = 1; i <= n; ++i) {
    double *a = (double *)malloc(i * sizeof(double));
    a[0] = x[i - 1];
    for (int j = 1; j < i; ++j)
      a[j] = a[j - 1] * x[j] + 0.5;
    s += a[i - 1] * a[i - 1];
    free(a);
  }
  return s;
}
__attribute__((noinline)) static double *squares(const double *x, int n) {
  double *a = malloc(n * sizeof *a);
  for (int i = 0; i < n; ++i)
    a[i] = x[i] * x[i];
  return a;
}
__attribute__((noinline)) static double consume(double *a, int n) {
  double s = 1;
  for (int i = 0; i < n; ++i)
    s *= a[i] + 1;
  free(a);
  return s;
}
static double handedOver(const double *x, int n) {
  double *a = squares(x, n);
  double *b = squares(a, n);
  return consume(a, n) + consume(b, n - 1);
}
static double scalarCell(double x) {
  double *cell = malloc(sizeof(double));
  *cell = x * x;
  *cell *= *cell;
  double r = *cell;
  free(cell);
  return r;
}

int main(void) {
  double x[4] = {1.25, -0.5, 0.75, 1.5}, d[4] = {0}, e[4] = {0}, h[4] = {0};
  double v[4] = {0, 1, 0, 0};
  __enzyme_autodiff((void *)oneBlock, x, d, 4);
  RG_GRADS(d, oneBlock(x, 4), x, 4);
  RG_NEAR(__enzyme_fwddiff((void *)oneBlock, x, v, 4), d[1]);
  __enzyme_autodiff((void *)perIteration, x, e, 4);
  RG_GRADS(e, perIteration(x, 4), x, 4);
  RG_NEAR(__enzyme_fwddiff((void *)perIteration, x, v, 4), e[1]);
  __enzyme_autodiff((void *)handedOver, x, h, 4);
  RG_GRADS(h, handedOver(x, 4), x, 4);
  RG_NEAR(__enzyme_fwddiff((void *)handedOver, x, v, 4), h[1]);
  RG_UNARY(scalarCell, 1.5);
  return rgReport();
}
