// A loop over columns, with a loop in it that goes down each of them, runs several columns at a time (lib/Polish/VectorColumns.cpp).
// test/Execute/C/vector-columns.c asks whether it is right.
// RUN: %rgcc -O2 -fno-discard-value-names -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rgcc -O2 -fno-discard-value-names -S -emit-llvm -mllvm -rg-disable=vector-columns %s -o - | FileCheck %s --check-prefix=OFF
// OFF-NOT: rg.columns
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

// The product of two matrices: a sum in a register in the primal sweep, forwards. In the reverse sweep columns run backwards, rows of b are added to
// side by side, and what all columns add to one place of a is added up first.
// CHECK-LABEL: define internal void @rg.rg.disjoint.product.grad
// CHECK: rg.columns{{[0-9]*}}:
// CHECK: %[[SUM:[0-9]+]] = phi <8 x double>
// CHECK: fmuladd.v8f64({{.*}} %[[SUM]])
// CHECK: store <8 x double>
// CHECK: rg.columns{{[0-9]*}}:
// CHECK: fadd reassoc contract <8 x double>
// CHECK: store <8 x double>
// CHECK: call reassoc contract double @llvm.vector.reduce.fadd.v8f64(double -0.000000e+00
// CHECK: {{^}}}
static void product(int n, double a[n][n], double b[n][n], double c[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}
void gradient(int n, void *a, void *da, void *b, void *db, void *c, void *dc) {
  __enzyme_autodiff((void *)product, enzyme_const, n, enzyme_dup, a, da, enzyme_dup, b, db, enzyme_dup, c, dc);
}

// Innermost loops along rows are LLVM's.
// CHECK-LABEL: define internal void @rg.rg.disjoint.rows.grad
// CHECK-NOT: rg.columns
// CHECK: {{^}}}
static void rows(int n, double a[n][n], double b[n][n], double c[n][n]) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        c[i][j] += a[i][k] * b[k][j];
}
void gradient_of_rows(int n, void *a, void *da, void *b, void *db, void *c, void *dc) {
  __enzyme_autodiff((void *)rows, enzyme_const, n, enzyme_dup, a, da, enzyme_dup, b, db, enzyme_dup, c, dc);
}

// What one column leaves in a, the next one uses.
// CHECK-LABEL: define internal void @rg.rg.disjoint.carried.grad
// CHECK-NOT: rg.columns
// CHECK: {{^}}}
static void carried(int n, double a[n], double b[n][n], double c[n][n]) {
  for (int j = 0; j < n; j++)
    for (int k = 0; k < n; k++) {
      a[k] = 0.9 * a[k] + 0.1 * b[k][j];
      c[k][j] += a[k];
    }
}
void gradient_of_carried(int n, void *a, void *da, void *b, void *db, void *c, void *dc) {
  __enzyme_autodiff((void *)carried, enzyme_const, n, enzyme_dup, a, da, enzyme_dup, b, db, enzyme_dup, c, dc);
}

// Columns have lengths of their own.
// CHECK-LABEL: define internal void @rg.rg.disjoint.triangle.grad
// CHECK-NOT: rg.columns
// CHECK: {{^}}}
static void triangle(int n, double a[n], double b[n][n], double c[n]) {
  for (int j = 0; j < n; j++)
    for (int k = 0; k < j; k++)
      c[j] += a[k] * b[k][j];
}
void gradient_of_triangle(int n, void *a, void *da, void *b, void *db, void *c, void *dc) {
  __enzyme_autodiff((void *)triangle, enzyme_const, n, enzyme_dup, a, da, enzyme_dup, b, db, enzyme_dup, c, dc);
}
