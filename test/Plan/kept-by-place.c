// Elements that are read many times before they are overwritten are kept once (lib/Plan/Originals.cpp). test/Execute/C/kept-by-place.c asks whether it is right.
// RUN: %rgcc -O2 -fno-discard-value-names -c %s -o /dev/null -mllvm -rg-print-plan 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -fno-discard-value-names -c %s -o /dev/null -mllvm -rg-print-plan -mllvm -rg-disable=nest-arrays 2>&1 | FileCheck --check-prefix=OFF %s
// OFF-NOT: kept by place
int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
#define GRADIENT(f) void f##_gradient(int n, void *a, void *da, void *b, void *db) { __enzyme_autodiff((void *)f, enzyme_const, n, enzyme_dup, a, da, enzyme_dup, b, db); }

// Rows below are as they were.
// CHECK-LABEL: plan for rg.primal.rg.disjoint.triangular
// CHECK-NOT: arrays over all
// CHECK: kept by place: %[[B:[0-9]+]]
// CHECK: need %[[B]]: recompute
// Of arguments that may overlap it is not known.
// CHECK-LABEL: plan for rg.primal.triangular
// CHECK-NOT: kept by place
static void triangular(int n, double a[n][n], double b[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = i + 1; k < n; k++)
        b[i][j] += a[k][i] * b[k][j];
}
GRADIENT(triangular)

// The row above has been written.
// CHECK-LABEL: plan for rg.primal.rg.disjoint.written
// CHECK-NOT: kept by place
static void written(int n, double a[n][n], double b[n][n]) {
  for (int i = 1; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        b[i][j] += a[k][i] * b[i - 1][k] * b[k][j];
}
GRADIENT(written)

// Each is read once.
// CHECK-LABEL: plan for rg.primal.rg.disjoint.once
// CHECK-NOT: kept by place
static void once(int n, double a[n][n], double b[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[i][j] = a[i][j] * b[i][j] * b[i][j];
}
GRADIENT(once)
