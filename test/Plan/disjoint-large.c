// The derivative for arguments that overlap is made for size where it is large, so that LLVM's time goes to the one that calls take (lib/Pass/Differentiator.cpp).
// RUN: %rgcc -O2 -S -emit-llvm %s -o - | FileCheck %s
// CHECK-DAG: define {{.*}}@rg.rg.disjoint.small.grad({{.*}} #[[SMALL_APART:[0-9]+]]
// CHECK-DAG: define {{.*}}@rg.small.grad({{.*}} #[[SMALL:[0-9]+]]
// CHECK-DAG: define {{.*}}@rg.rg.disjoint.large.grad({{.*}} #[[LARGE_APART:[0-9]+]]
// CHECK-DAG: define {{.*}}@rg.large.grad({{.*}} #[[LARGE:[0-9]+]]
// CHECK-NOT: attributes #[[SMALL_APART]] = {{.*}}optsize
// CHECK-NOT: attributes #[[LARGE_APART]] = {{.*}}optsize
// CHECK: attributes #[[LARGE]] = {{.*}}optsize
int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
#define PRODUCT(F)                                                                                                                                                 \
  for (int i = 0; i < n; ++i)                                                                                                                                      \
    for (int j = 0; j < n; ++j)                                                                                                                                    \
      for (int k = 0; k < n; ++k)                                                                                                                                  \
        c[i * n + j] += (F)*a[i * n + k] * b[k * n + j];
#define FOUR(F) PRODUCT(F) PRODUCT(F + 1) PRODUCT(F + 2) PRODUCT(F + 3)
void small(double *a, double *b, double *c, int n) { PRODUCT(1) }
void large(double *a, double *b, double *c, int n) { FOUR(1) FOUR(5) FOUR(9) FOUR(13) FOUR(17) FOUR(21) }
void small_gradient(double *a, double *da, double *b, double *db, double *c, double *dc, int n) {
  __enzyme_autodiff((void *)small, enzyme_dup, a, da, enzyme_dup, b, db, enzyme_dup, c, dc, enzyme_const, n);
}
void large_gradient(double *a, double *da, double *b, double *db, double *c, double *dc, int n) {
  __enzyme_autodiff((void *)large, enzyme_dup, a, da, enzyme_dup, b, db, enzyme_dup, c, dc, enzyme_const, n);
}
