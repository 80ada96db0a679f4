// An array of tagged unions in which all numbers are constants, and others are addresses of active numbers, is sorted: what moves a
// word as a number moves the shadow of an address.
// RG-LEVELS: O0 O1 O2 O3
#include "rgtest.h"
#include <stdlib.h>
extern int enzyme_dup, enzyme_const;
double __enzyme_autodiff(void *, ...);

typedef struct {
  union {
    double d;
    double *p;
  } u;
  char tag;
} Var;

static double f(double *x, int n) {
  double w[5], s = 0.0;
  for (int i = 0; i < n; ++i)
    w[i] = x[i] * x[i];
  Var *all = malloc(n * sizeof *all);
  for (int i = 0; i < n; ++i)
    if (i % 2 == 0) {
      all[i].u.d = 3.0;
      all[i].tag = 0;
    } else {
      all[i].u.p = &w[i];
      all[i].tag = 1;
    }
  for (int i = 1; i < n; ++i) {
    Var v = all[i];
    int j = i;
    while (j > 0 && v.tag > all[j - 1].tag) {
      all[j] = all[j - 1];
      --j;
    }
    all[j] = v;
  }
  for (int i = 0; i < n; ++i)
    s += all[i].tag ? *all[i].u.p * 0.5 : all[i].u.d * all[i].u.d;
  free(all);
  return s;
}
int main() {
  double x[5] = {0.579, 0.198, 0.988, -0.926, 0.886}, d[5] = {0};
  __enzyme_autodiff((void *)f, enzyme_dup, x, d, enzyme_const, 5);
  for (int i = 0; i < 5; ++i)
    RG_NEAR(d[i], i % 2 ? x[i] : 0);
  return rgReport();
}
