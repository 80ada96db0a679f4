// A loop over a row with one place that may lie in it runs around the meeting point (lib/Polish/SplitAtMeetings.cpp). test/Execute/C/split-at-meetings.c
// asks whether it is right.
// RUN: %rgcc -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rgcc -O2 -S -emit-llvm -mllvm -rg-disable=split-at-meetings %s -o - | FileCheck %s --check-prefix=OFF
// RUN: %rgcc -Os -S -emit-llvm %s -o - | FileCheck %s --check-prefix=OFF
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

// The smallest of two sums, over and over: in the reverse of the loop, too, the place is in a register and the additions are of vectors.
// CHECK-LABEL: define internal void @rg.shortest.grad
// CHECK: fcmp olt <{{[0-9]+}} x double>
// CHECK: llvm.vector.reduce.fadd
// CHECK: {{^}}}
// OFF-LABEL: define internal void @rg.shortest.grad
// OFF-NOT: rg.segment
// OFF: {{^}}}
static void shortest(int n, double path[n][n]) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
}
void gradient(int n, void *path, void *d) {
  __enzyme_autodiff((void *)shortest, enzyme_const, n, enzyme_dup, path, d);
}

// Rows alone are left to LLVM.
// CHECK-LABEL: define internal void @rg.rows.grad
// CHECK-NOT: rg.segment
// CHECK: {{^}}}
static void rows(double *x, double *y, int n) {
  for (int i = 0; i < n; i++)
    x[i] += y[i] * y[i];
}
void gradient_of_rows(double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)rows, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
