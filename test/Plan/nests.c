// Counts and arrays of nests go as far out as the counts stay what they are.
// RUN: %rgcc -O2 -fno-discard-value-names -mllvm -rg-disable=defer-loops -mllvm -rg-print-plan -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -fno-discard-value-names -mllvm -rg-disable=defer-loops -mllvm -rg-print-plan -mllvm -rg-disable=nest-arrays -mllvm -rg-disable=outer-counts -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=APART
#include <math.h>
double __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

// CHECK-LABEL: plan for rg.primal.rectangle
// CHECK: scope function:
// CHECK-DAG: count of %[[INNER:.*]]
// CHECK-DAG: records of %[[INNER]]
// CHECK: scope %[[INNER]]: {{.*}}arrays over all of %
// APART-LABEL: plan for rg.primal.rectangle
// APART-NOT: over all of
// APART: need
static double rectangle(const double *x, int n, int m) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double term = i;
    for (int j = 0; j < m; ++j)
      term = sin(term * x[j]);
    sum += term;
  }
  return sum;
}

// The count of the inner loop varies with the outer.
// CHECK-LABEL: plan for rg.primal.triangle
// CHECK-NOT: over all of
static double triangle(const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double term = i;
    for (int j = 0; j < i; ++j)
      term = sin(term * x[j]);
    sum += term;
  }
  return sum;
}

void test(double *x, double *dx, int n, int m) {
  __enzyme_autodiff((void *)rectangle, enzyme_dup, x, dx, enzyme_const, n, enzyme_const, m);
  __enzyme_autodiff((void *)triangle, enzyme_dup, x, dx, enzyme_const, n);
}
