// What reports an error and never comes back overwrites nothing that a derivative reads.
// RUN: %rgcc -O2 -fno-discard-value-names -mllvm -rg-print-plan -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -DRETURNS -fno-discard-value-names -mllvm -rg-print-plan -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=RETURNS
#include <stdlib.h>
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

#ifdef RETURNS
extern void (*hook)(void);
__attribute__((enzyme_inactive)) void fail(const char *);
#else
__attribute__((noreturn)) void fail(const char *);
#endif

// The factors are read again, since no call of this one's caller can change them.
// CHECK-LABEL: plan for rg.primal.sweep
// CHECK-NOT: double %
// CHECK: call augment
// RETURNS-LABEL: plan for rg.primal.sweep
// RETURNS: {{\+[0-9]+}} double %
__attribute__((noinline)) static void sweep(double *y, const double *c, int n) {
  if (n > 1) {
    sweep(y, c, n / 2);
    sweep(y + n / 2, c, n - n / 2);
  }
  for (int i = 0; i < n; ++i)
    y[i] *= c[i];
}

static double run(const double *x, const double *c, int n) {
  double *y = malloc(n * sizeof *y), sum = 0;
  for (int i = 0; i < n; ++i)
    y[i] = x[i];
  sweep(y, c, n);
  if (n < 1)
    fail("none");
  for (int i = 0; i < n; ++i)
    sum += y[i] * y[i];
  free(y);
  return sum;
}

void gradient(const double *x, double *dx, const double *c, int n) {
  __enzyme_autodiff((void *)run, enzyme_dup, x, dx, enzyme_const, c, enzyme_const, n);
}
