// How often the loop over a row runs follows from two integers in memory that stay as they are, or from the loop around it:
// it is counted again (Recipes::countInputs). test/Execute/C/rows.c asks whether it is right.
// RUN: %rgcc -O2 -fno-discard-value-names -c %s -o /dev/null -mllvm -rg-print-plan 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -fno-discard-value-names -c %s -o /dev/null -mllvm -rg-print-plan -mllvm -rg-disable=count-again 2>&1 | FileCheck %s --check-prefix=KEPT
void __enzyme_autodiff(void *, ...);
extern int enzyme_const;

// CHECK-LABEL: plan for rg.primal.rows
// CHECK: need count
// CHECK-SAME: recompute
// KEPT-LABEL: plan for rg.primal.rows
static void rows(const int *restrict first, const int *restrict column, const double *restrict a, const double *restrict x, double *restrict y, int n) {
  for (int i = 0; i < n; ++i) {
    double s = 0;
    for (int k = first[i]; k < first[i + 1]; ++k)
      s += a[k] * x[column[k]];
    y[i] = s * s;
  }
}
void gradient(const int *first, const int *column, double *a, double *da, double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)rows, enzyme_const, first, enzyme_const, column, a, da, x, dx, y, dy, n);
}
