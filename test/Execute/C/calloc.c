// calloc: memory that is read before it is written, of doubles and of structs
// with pointers in them.
#include "rgtest.h"
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
typedef struct { double sum; int count; double *items; } Bin;

static double accumulate(const double *x, int n) {
  double *a = calloc(4, sizeof(double)), s = 0;
  for (int i = 0; i < n; ++i)
    a[i % 3] += x[i] * (1 + a[(i + 1) % 3]);
  for (int i = 0; i < 4; ++i)
    s += a[i] * a[i];
  free(a);
  return s;
}
static double bins(const double *x, int n) {
  Bin *b = (Bin *)calloc(2, sizeof(Bin));
  for (int k = 0; k < 2; ++k)
    b[k].items = (double *)calloc(n, sizeof(double));
  for (int i = 0; i < n; ++i) {
    Bin *t = &b[x[i] > 0];
    t->items[t->count++] = x[i];
    t->sum += x[i];
  }
  double s = 0;
  for (int k = 0; k < 2; ++k) {
    double mean = b[k].count ? b[k].sum / b[k].count : 0;
    for (int i = 0; i < b[k].count; ++i)
      s += (b[k].items[i] - mean) * (b[k].items[i] - mean);
    free(b[k].items);
  }
  free(b);
  return s;
}

int main(void) {
  double x[6] = {1.5, -0.5, 2, 0.25, -1.25, -1}, d[6] = {0}, e[6] = {0};
  double v[6] = {0, 0, 1, 0, 0, 0};
  __enzyme_autodiff((void *)accumulate, x, d, 6);
  RG_GRADS(d, accumulate(x, 6), x, 6);
  RG_NEAR(__enzyme_fwddiff((void *)accumulate, x, v, 6), d[2]);
  __enzyme_autodiff((void *)bins, x, e, 6);
  RG_GRADS(e, bins(x, 6), x, 6);
  RG_NEAR(__enzyme_fwddiff((void *)bins, x, v, 6), e[2]);
  return rgReport();
}
