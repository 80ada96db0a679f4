// The shadow of a vector gets a block that the thread has kept, and leaves it there (lib/Polish/KeptShadows.cpp, runtime/kept.c); the zeros
// that its reverse leaves are not written. A shadow that the function does not release itself is allocated as before. What the runtime does
// with blocks of several sizes, threads and exceptions is tested in Execute/Cxx/kept-shadows.cpp.
// RUN: %rgcxx -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rgcxx -O2 -S -emit-llvm -mllvm -rg-disable=kept-shadows -mllvm -rg-disable=spare-clears %s -o - | FileCheck %s --check-prefix=OFF
#include <cstdlib>
#include <vector>
double __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

// CHECK-LABEL: define internal {{.*}}@rg.{{.*}}sums{{.*}}.grad
// CHECK: {{call|invoke}} {{.*}}@_Znwm
// CHECK: %[[SHADOW:[^ ]+]] = {{.*}} @rg_kept_alloc(i64 %{{[^,]+}}, ptr {{.*}}@_Znwm, ptr {{.*}}@_ZdlPv)
// CHECK: @rg_kept_defer(ptr {{.*}}, ptr {{.*}}, ptr {{.*}}%[[SHADOW]], ptr {{.*}}@_ZdlPv, i64 %{{[^,]+}})
// CHECK: @rg_tape_end
// OFF-LABEL: define internal {{.*}}@rg.{{.*}}sums{{.*}}.grad
// OFF: @_Znwm
// OFF: @_Znwm
// OFF-NOT: rg_kept
// OFF: @rg_defer_free_both
__attribute__((noinline)) static void fill(const double *x, double *y, int n) {
  for (int i = 0; i < n; ++i)
    y[i] += x[i] * x[n - 1 - i];
}
static double sums(const double *x, int n) {
  std::vector<double> y(n);
  fill(x, y.data(), n);
  double s = 0;
  for (double v : y)
    s += v * v;
  return s;
}
// CHECK-LABEL: define internal {{.*}}@rg.{{.*}}made{{.*}}.grad
// CHECK-NOT: rg_kept
// CHECK: {{^}}}
static void made(const double *x, double **y, int n) {
  *y = static_cast<double *>(std::malloc(n * sizeof(double)));
  for (int i = 0; i < n; ++i)
    (*y)[i] = x[i] * x[i];
}
void run(const double *x, double *dx, double **y, double **dy, int n) {
  __enzyme_autodiff((void *)sums, enzyme_dup, x, dx, enzyme_const, n);
  __enzyme_autodiff((void *)made, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
