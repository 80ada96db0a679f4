// Loops and branches without a reverse: the reverse sweep passes by them, so that it need not know how often and which way.
// RUN: %rgcc -O2 -fno-vectorize -S -emit-llvm %s -o %t.ll -mllvm -rg-print-plan 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -fno-vectorize -S -emit-llvm %s -o %t.ll -mllvm -rg-disable=inert-regions -mllvm -rg-print-plan 2>&1 | FileCheck %s --check-prefix=OFF
void __enzyme_autodiff(void *, ...);
extern int enzyme_const;

// How far the chain of integers goes is known when it has been gone.
// CHECK-LABEL: plan for rg.primal.chained
// CHECK: 8 bytes per iteration
// CHECK-NEXT: i64 %
// CHECK-NEXT: need
// CHECK-LABEL: plan for rg.primal.sorted
// CHECK-NOT: per iteration
// CHECK-NOT: : keep
// OFF-LABEL: plan for rg.primal.chained
// OFF: 16 bytes per iteration
// OFF-NEXT: i64 %
// OFF-NEXT: i64 count of
// OFF-LABEL: plan for rg.primal.sorted
// OFF: 1 bytes per iteration
// OFF: need predecessor of %{{[0-9]+}}: keep
double chained(const double *x, const int *next, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    int at = i;
    while (next[at] >= 0)
      at = next[at];
    sum += x[at] * x[i];
  }
  return sum;
}
// Which of the counts goes up says nothing about x.
double sorted(const double *x, int *counts, const int *kinds, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    if (kinds[i] > 3) {
      counts[0] += kinds[i];
      counts[3] ^= 5;
    } else if (kinds[i] < -3)
      counts[1] -= 1;
    sum += x[i] * x[i];
  }
  return sum;
}
void gradients(const double *x, double *dx, int *counts, const int *kinds, int n) {
  __enzyme_autodiff((void *)chained, x, dx, enzyme_const, kinds, enzyme_const, n);
  __enzyme_autodiff((void *)sorted, x, dx, enzyme_const, counts, enzyme_const, kinds, enzyme_const, n);
}
