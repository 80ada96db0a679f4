// RUN: not %rgcc -O2 -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -DFORWARD -c %s -o %t.o
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup;
double f(double **p, double *x) {
  *p = realloc(*p, 3 * sizeof(double));
  (*p)[2] = (*p)[0] * *x;
  return (*p)[2] * (*p)[2];
}
double slope(double **p, double **d, double *x) {
  double dx = 0;
  __enzyme_autodiff((void *)f, enzyme_dup, p, d, enzyme_dup, x, &dx);
  return dx * (*d)[0];
}
void test(double **p, double **d, double *x, double **tp, double **td, double *tx) {
#ifdef FORWARD
  __enzyme_fwddiff((void *)slope, enzyme_dup, p, tp, enzyme_dup, d, td, enzyme_dup, x, tx);
#else
  // CHECK: blocks-replaced.c:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}it belongs to a derivative that replaces memory of its caller's
  __enzyme_autodiff((void *)slope, enzyme_dup, p, tp, enzyme_dup, d, td, enzyme_dup, x, tx);
#endif
}
