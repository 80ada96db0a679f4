// Arithmetic behind a loop's exit moves in front of it (lib/Polish/MergeLatches.cpp), so that steps for innermost loops find one block. That it is
// right is tested in Execute/C/stencils.c (fluxes).
// RUN: %rgcc -O2 -S -emit-llvm -mllvm -rg-print-after=merge-latches %s -o %t.ll 2> %t.after && FileCheck %s < %t.after
// RUN: FileCheck %s --check-prefix=VECTORS < %t.ll
// RUN: %rgcc -O2 -S -emit-llvm -mllvm -rg-disable=merge-latches %s -o - | FileCheck %s --check-prefix=OFF
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

// The reverse of u[j][i + 1] - u[j][i] hands on a negated number: its loop is one of strip-additions'.
// In front of the exit, in the block that follows itself.
// CHECK-LABEL: define internal {{.*}}@rg.rg.disjoint.flux.grad
// CHECK: phi double [ -0.000000e+00, %{{.*}} ], [ [[NEXT:%.*]], %[[LOOP:.*]] ]
// CHECK: [[NEXT]] = fneg contract double
// CHECK-NEXT: br i1 %{{.*}}, label %{{.*}}, label %[[LOOP]]
// In the reverse sweep there are vectors, then.
// VECTORS-LABEL: define internal {{.*}}@rg.rg.disjoint.flux.grad
// VECTORS: fadd reassoc contract <2 x double>
// VECTORS: {{^}}}
// OFF-LABEL: define internal {{.*}}@rg.rg.disjoint.flux.grad
// OFF-NOT: fadd reassoc contract <2 x double>
// OFF: {{^}}}
static void flux(int n, double u[n][n], double v[n][n], double w[n][n]) {
  for (int j = 0; j < n - 1; ++j)
    for (int i = 0; i < n - 1; ++i)
      v[j][i] -= 0.7 * (u[j][i + 1] - u[j][i] + w[j + 1][i] - w[j][i]);
}
void all(void *u, void *du, void *v, void *dv, void *w, void *dw, int n) {
  __enzyme_autodiff((void *)flux, enzyme_const, n, enzyme_dup, u, du, enzyme_dup, v, dv, enzyme_dup, w, dw);
}
