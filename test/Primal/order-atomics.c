// An atomic operation on a number whose order makes a difference becomes a turn of a mutex, with plain accesses within.
// In a program of additions whose result nobody wants, nothing has turns.
// RUN: %rgcc -O2 -fopenmp -fno-discard-value-names -c %s -o %t.o -mllvm -rg-print-after=order-atomics 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -fopenmp -DSUMS -c %s -o %t.o -mllvm -rg-print-after=order-atomics 2>&1 | FileCheck %s --check-prefix=SUMS --allow-empty
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

// CHECK: ; after order-atomics
// CHECK-LABEL: @rg.primal.rg.fork.f
// CHECK: call i64 @rg_turn_enter(ptr @rg.atomic)
// CHECK-NOT: cmpxchg
// CHECK: fmul double
// CHECK-NOT: cmpxchg
// CHECK: call i64 @rg_turn_leave(ptr @rg.atomic)
// SUMS-NOT: ; after order-atomics
static double f(const double *x, double *y, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; ++i)
#pragma omp atomic
#ifdef SUMS
    y[0] += x[i];
#else
    y[0] *= x[i];
#endif
  return y[0];
}
void gradient(const double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
