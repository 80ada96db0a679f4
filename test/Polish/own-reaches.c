// The reverse of a region's loop asks once, in front of it, whether its thread is alone there; then its additions are plain.
// RUN: %rgcc -O2 -fopenmp -fno-discard-value-names -c %s -o %t.o -mllvm -rg-print-after=own-reaches 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -fopenmp -c %s -o %t.o -mllvm -rg-disable=own-reaches -mllvm -rg-print-derivative 2>&1 | FileCheck %s --check-prefix=OFF
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

// CHECK: ; after own-reaches
// CHECK: define internal void @rg.rg.fork.f{{.*}}.rev(
// CHECK: [[REACH:%.*]] = tail call ptr @rg_reach_of(i32 0)
// CHECK: getelementptr i64, ptr [[REACH]], i64 1
// CHECK-COUNT-2: call void @rg_reach_elsewhere_f64(ptr [[REACH]],
// CHECK-NOT: @rg_reach_
// CHECK: fadd {{.*}}double
// OFF: define internal void @rg.rg.fork.f{{.*}}.rev(
// OFF-COUNT-2: call void @rg_reach_add_f64(
static void f(const double *x, double *y, int n, int m) {
#pragma omp parallel for
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < m; ++j)
      y[i * m + j] = x[(i - 1) * m + j] * x[(i + 1) * m + j];
}
void gradient(const double *x, double *dx, double *y, double *dy, int n, int m) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n, enzyme_const, m);
}
