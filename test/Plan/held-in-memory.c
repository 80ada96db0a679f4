// What is stored where it stays is not on the tape as well (Recipes::heldBy). test/Execute/C/held-in-memory.c asks whether it is right.
// RUN: %rgcc -O2 -fno-discard-value-names -c %s -o /dev/null -mllvm -rg-print-plan 2>&1 | FileCheck %s
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double exp(double);

// CHECK-LABEL: plan for rg.primal.makes (split):
// CHECK-NOT: {{\+[0-9]+}} double %
// CHECK: need %call{{[0-9]*}}: recompute
__attribute__((noinline)) static double makes(double *a, int n) {
  double *own = malloc(n * sizeof *own), s = 0;
  for (int i = 0; i < n; i++)
    own[i] = exp(a[i]);
  for (int i = 0; i < n; i++)
    s += own[i];
  for (int i = 0; i < n; i++)
    a[i] = 0.5 * a[i];
  free(own);
  return s;
}
static double whole(double x, int n) {
  double *a = malloc(n * sizeof *a), s = 0;
  for (int i = 0; i < n; i++)
    a[i] = i * x;
  for (int k = 0; k < n; k++)
    s += makes(a, n);
  free(a);
  return s;
}
double gradient(double x, int n) { return __enzyme_autodiff((void *)whole, x, n); }

// The caller overwrites it.
// CHECK-LABEL: plan for rg.primal.fills (split):
// CHECK: {{\+[0-9]+}} double %call
__attribute__((noinline)) static void fills(double *to, const double *a, int n) {
  for (int i = 0; i < n; i++)
    to[i] = exp(a[i]);
}
static double again(double x, int n) {
  double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), s = 0;
  for (int i = 0; i < n; i++)
    a[i] = i * x;
  for (int k = 0; k < n; k++) {
    fills(b, a, n);
    for (int i = 0; i < n; i++)
      s += b[i];
  }
  free(a);
  free(b);
  return s;
}
double againGradient(double x, int n) { return __enzyme_autodiff((void *)again, x, n); }
