// A region's loop says in front of it from which address to which it reads x, of which neighbours in one group, and writes y.
// RUN: %rgcc -O2 -fopenmp -fno-discard-value-names -c %s -o %t.o -mllvm -rg-print-after=note-reaches 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -fopenmp -c %s -o %t.o -mllvm -rg-disable=note-reaches -mllvm -rg-print-primal 2>&1 | FileCheck %s --check-prefix=OFF
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

// CHECK: ; after note-reaches
// CHECK-LABEL: @rg.primal.rg.fork.f
// CHECK: call void @rg_reach_from(ptr %{{.*}}, i64 %{{.*}}, i32 0, i32 8, i64 %{{.*}})
// CHECK: call void @rg_reach_from(ptr %{{.*}}, i64 %{{.*}}, i32 1, i32 24, i64 %{{.*}})
// CHECK-NOT: call void @rg_reach_from
// CHECK: load double, ptr {{.*}} !rg.reach [[GROUP:![0-9]+]]
// CHECK: load double, ptr {{.*}} !rg.reach [[GROUP]]
// OFF-LABEL: @rg.primal.rg.fork.f
// OFF-NOT: rg_reach_from
static double f(const double *x, double *y, int n) {
#pragma omp parallel for
  for (int i = 1; i < n; ++i)
    y[i] = x[i - 1] * x[i + 1];
  return y[0];
}
void gradient(const double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
// Of places by an index that the iteration itself reads, the loop finds out the first and the last; two places of one record
// are looked at together. It says so once, behind the loop.
// CHECK-LABEL: @rg.primal.rg.fork.gather
// CHECK: call i64 @llvm.smin.i64
// CHECK: call i64 @llvm.smax.i64
// CHECK-NOT: call i64 @llvm.smin.i64
// CHECK: load double, ptr {{.*}} !rg.reach [[GATHERED:![0-9]+]]
// CHECK: load double, ptr {{.*}} !rg.reach [[GATHERED]]
// CHECK: br i1
// CHECK: call void @rg_reach_from(ptr %{{.*}}, i64 %{{.*}}, i32 {{[0-9]}}, i32 8, i64 %{{.*}})
// CHECK: ret void
static double gather(const double *x, double *y, const int *at, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
    y[i] = x[2 * at[i]] * x[2 * at[i] + 1];
  return y[0];
}
void gatherGradient(const double *x, double *dx, double *y, double *dy, const int *at, int n) {
  __enzyme_autodiff((void *)gather, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, at, enzyme_const, n);
}
