// A fork of OpenMP's runtime becomes the call of a function that runs in a team, with the threads that were asked for.
// RUN: %rgcc -O2 -fopenmp -fno-discard-value-names -c %s -o %t.o -mllvm -rg-print-after=rewrite-regions 2>&1 | FileCheck %s
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

// CHECK: ; after rewrite-regions
// CHECK-LABEL: @rg.primal.f(
// CHECK-NOT: __kmpc_push_num_threads
// CHECK: store i32 3, ptr %threads
// CHECK: [[THREADS:%.*]] = load i32, ptr %threads
// CHECK-NOT: __kmpc_fork_call
// CHECK: call void @rg.fork.f.omp_outlined{{.*}}(i32 [[THREADS]],
// CHECK: ret double
static double f(const double *x, double *y, int n) {
#pragma omp parallel for num_threads(3)
  for (int i = 0; i < n; ++i)
    y[i] = x[i] * x[i];
  return y[0];
}
void gradient(const double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
