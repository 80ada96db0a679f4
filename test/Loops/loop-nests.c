// The reverse of a nest is a nest like any other: derivatives go through -rg-loops, and have the same bits (each adjoint is added to once).
// REQUIRES: loop-nests
// RUN: %rgcc -O2 -ffp-contract=off %s -o %t.plain
// RUN: %rgcc -O2 -ffp-contract=off -fno-discard-value-names -mllvm -rg-loops -mllvm -rg-print-after=loop-nests %s -o %t.loops 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -ffp-contract=off -fno-discard-value-names -mllvm -rg-loops -mllvm -rg-print-after=loop-nests -mllvm -rg-disable=loop-nests %s -o %t.later 2>&1 | FileCheck %s --check-prefix=OFF --allow-empty
// RUN: %t.plain >%t.1
// RUN: %t.loops >%t.2
// RUN: %t.later >%t.3
// RUN: cmp %t.1 %t.2
// RUN: cmp %t.1 %t.3
#include <stdio.h>

void __enzyme_autodiff(void *, ...);
int enzyme_dup, enzyme_const;
enum { N = 40 };

// CHECK: define {{.*}}@rg.columns.grad(
// CHECK: {{^}}rg.nest:
// OFF-NOT: rg.nest
__attribute__((noinline)) static void columns(int n, double y[restrict][N], const double x[restrict][N]) {
  for (int j = 0; j < N; j++)
    for (int i = 0; i < n; i++)
      y[i][j] += x[i][j] * x[i][j] * 0.5;
}
__attribute__((noinline)) void gradient(int n, void *y, void *dy, void *x, void *dx) {
  __enzyme_autodiff((void *)columns, enzyme_const, n, enzyme_dup, y, dy, enzyme_dup, x, dx);
}

static double x[N][N], dx[N][N], y[N][N], dy[N][N];
int main(void) {
  for (int n = 0; n <= N; n += n < 3 ? 1 : N - 3) {
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        x[i][j] = (i * 7 + j * 3) % 11 - 5.25;
        dy[i][j] = 1 + i - j;
        dx[i][j] = 0.125 * i;
      }
    gradient(n, y, dy, x, dx);
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        printf("%a %a\n", dx[i][j], y[i][j]);
  }
  return 0;
}
