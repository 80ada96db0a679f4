// Loops that read what the loop before has stored, at another place, run as scalars where they are short (lib/Polish/ShortLoops.cpp): the loop
// around them is there twice. That it is right is tested in Execute/C/short-loops.c.
// RUN: %rgcc -O2 -mavx2 -fno-discard-value-names -S -emit-llvm -mllvm -rg-print-after=short-loops %s -o %t.ll 2> %t.after && FileCheck %s < %t.after
// RUN: FileCheck %s --check-prefix=LATER < %t.ll
// RUN: FileCheck %s --check-prefix=MARKS < %t.ll
// RUN: %rgcc -O2 -mavx2 -S -emit-llvm -mllvm -rg-print-after=short-loops -mllvm -rg-disable=short-loops %s -o /dev/null 2>&1 | count 0
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

// A vector has four doubles, so six are enough: five, counted from the end of the first.
// CHECK-LABEL: define internal {{.*}}@rg.rg.disjoint.shifted.grad
// CHECK: icmp ult i64 %{{.*}}, 5
// CHECK: %rg.are.short = freeze i1
// CHECK-NEXT: br i1 %rg.are.short, label %for.cond1.preheader{{.*}}.short, label %
// The reverse sweep, too.
// CHECK: %rg.are.short{{[0-9]+}} = freeze i1
// LATER-LABEL: define internal {{.*}}@rg.rg.disjoint.shifted.grad
// LATER: fmul contract <4 x double>
// LATER: br i1 %{{.*}}, label %{{.*}}.short, label %rev.for.body{{.*}}.short, !llvm.loop
static void shifted(const double *x, double *y, double *k, int n, int steps) {
  for (int s = 0; s < steps; ++s) {
    for (int i = 1; i < n; ++i)
      k[i] = x[i] * y[i - 1];
    for (int i = 0; i < n; ++i)
      y[i] += 0.1 * k[i];
  }
}
// MARKS-DAG: !{!"llvm.loop.vectorize.enable", i1 false}
// MARKS-DAG: !{!"llvm.loop.unroll.disable"}

// Where each begins where the one before did, nothing waits.
// CHECK-NOT: define internal {{.*}}@rg.{{.*}}aligned.grad
static void aligned(const double *x, double *y, double *k, int n, int steps) {
  for (int s = 0; s < steps; ++s) {
    for (int i = 0; i < n; ++i)
      k[i] = x[i] * y[i];
    for (int i = 0; i < n; ++i)
      y[i] = 0.1 * k[i];
  }
}

void all(const double *x, double *dx, double *y, double *dy, double *k, double *dk, int n, int steps) {
  __enzyme_autodiff((void *)shifted, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_dup, k, dk, enzyme_const, n, enzyme_const, steps);
  __enzyme_autodiff((void *)aligned, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_dup, k, dk, enzyme_const, n, enzyme_const, steps);
}
