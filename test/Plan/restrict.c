// RUN: %rgcc -O2 -mllvm -rg-print-derivative -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -mllvm -rg-disable=alias-scopes -mllvm -rg-print-derivative -c %s -o %t.o 2>&1 | FileCheck --check-prefix=OFF %s
// A restrict parameter is one in the derivative, its shadow is not: memory that is only
// read may be handed over twice, and so is its shadow, which is written.
// CHECK: define{{.*}} @rg.product.grad(ptr noalias %{{[a-z0-9.]+}}, ptr %{{[a-z0-9.]+}}, ptr noalias %{{[a-z0-9.]+}}, ptr %{{[a-z0-9.]+}}, ptr noalias %{{[a-z0-9.]+}}, ptr %
// OFF: define{{.*}} @rg.product.grad(ptr %
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup;
void product(const double *restrict a, const double *restrict b, double *restrict out, int n) {
  for (int i = 0; i < n; ++i)
    out[i] += a[i] * b[n - 1 - i] + b[i];
}
void gradient(const double *a, double *da, const double *b, double *db, double *out, double *dout, int n) {
  __enzyme_autodiff((void *)product, enzyme_dup, a, da, enzyme_dup, b, db, enzyme_dup, out, dout, n);
}
