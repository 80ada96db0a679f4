// Adjoints that are taken are cleared late, where the next addition does not overwrite them (lib/Polish/LateZeros.cpp). That it is right is
// tested in Execute/C/late-zeros.c.
// RUN: %rgcc -O2 -fno-discard-value-names -S -emit-llvm -mllvm -rg-disable=join-loops -mllvm -rg-print-after=late-zeros %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -S -emit-llvm -mllvm -rg-print-after=late-zeros -mllvm -rg-disable=late-zeros %s -o /dev/null 2>&1 | count 0
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

// Where the loop over steps is left, what counts as zeros is cleared.
// CHECK-LABEL: define internal {{.*}}@rg.rg.disjoint.steps.grad
// CHECK: br i1 %rg.late.zeros{{.*}}, label %[[CLEAR:[0-9]+]], label %rev.entry
// CHECK: [[CLEAR]]:
// CHECK: call void @llvm.memset{{.*}}(ptr align 1 %k.sh, i8 0,
// In the last step, whose reverse is first, what the caller has in the adjoint of k is added to. In all others the first addition is a store.
// CHECK: %[[ZEROS:rg.late.zeros[^ ]*]] = phi i1 [ false, %{{[^ ]*}}preheader ]
// CHECK: br i1 %[[ZEROS]], label %rev.for.body13.first, label %rev.for.body13
// CHECK: rev.for.body13.first:
// CHECK-NOT: {{fadd|fsub}}
// CHECK: store double %{{.*}}, ptr %arrayidx17.sh{{.*}}first
// CHECK: rev.for.body13:
// CHECK: fsub reassoc
// CHECK: {{^}}}
static void steps(const double *x, double *y, double *k, int n, int count) {
  for (int s = 0; s < count; ++s) {
    for (int i = 0; i < n; ++i)
      k[i] = x[i] * y[i];
    for (int i = 0; i < n; ++i)
      y[i] = y[i] - 0.1 * k[i];
  }
}

// What a call may touch is cleared at once.
// CHECK-NOT: define internal {{.*}}@rg.{{.*}}calling.grad
__attribute__((noinline)) static double sum(const double *k, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i)
    s += k[i] * k[i];
  return s;
}
static void calling(const double *x, double *y, double *k, int n, int count) {
  for (int s = 0; s < count; ++s) {
    for (int i = 0; i < n; ++i)
      k[i] = x[i] * y[i];
    y[0] += sum(k, n);
    for (int i = 0; i < n; ++i)
      y[i] = y[i] - 0.1 * k[i];
  }
}

void all(const double *x, double *dx, double *y, double *dy, double *k, double *dk, int n, int count) {
  __enzyme_autodiff((void *)steps, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_dup, k, dk, enzyme_const, n, enzyme_const, count);
  __enzyme_autodiff((void *)calling, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_dup, k, dk, enzyme_const, n, enzyme_const, count);
}
