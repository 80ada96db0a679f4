// A loop that the program says is parallel becomes, in its caller's primal, a team that
// runs the body on a part of the indices each.
// RUN: %rgcxx -O2 -fno-discard-value-names -c %s -o %t.o -mllvm -rg-print-primal 2>&1 | FileCheck %s
void __enzyme_autodiff(void *, ...);
template <class Body> void for_all(int first, int last, const Body &body) {
  for (int i = first; i < last; ++i)
    body(i);
}
static const char __rg_parallel_for_all[] __attribute__((used)) = "for_all";

// CHECK-LABEL: define {{.*}} @rg.primal.{{.*}}f
// CHECK: call i32 @rg_pool_size()
// CHECK: call {{.*}}void @[[FORK:rg.fork.method[.0-9]*]](
// CHECK-LABEL: define {{.*}} @rg.primal.rg.fork.method
// CHECK: call i32 @rg_pool_thread()
// CHECK: fmul double
static double f(const double *x, int n) {
  double y[8];
  for_all(0, n, [&](int i) { y[i] = x[i] * x[i]; });
  return y[0];
}
void gradient(const double *x, double *dx) { __enzyme_autodiff((void *)f, x, dx, 8); }
