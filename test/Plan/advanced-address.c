// An address that an inner and an outer loop advance leads to an object that a store elsewhere cannot reach: it is read again.
// RUN: %rgcc -O2 -c %s -o /dev/null -mllvm -rg-print-overwrite 2>&1 | FileCheck %s
int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

// CHECK-LABEL: overwrite in rg.primal.triangle
// CHECK-NOT: overwritten
void triangle(double *restrict result, const double *lower, const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j)
      sum += *lower * *lower * x[i] * x[j], ++lower;
  *result = sum;
}
// The result may be a number of the triangle.
// CHECK-LABEL: overwrite in rg.primal.same
// CHECK: overwritten
void same(double *result, const double *lower, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j)
      sum += *lower * *lower, ++lower;
  *result = sum;
}
// Either of two objects, of which one is written.
// CHECK-LABEL: overwrite in rg.primal.either
// CHECK: overwritten
void either(double *restrict result, const double *a, const double *b, int n, int m) {
  double sum = 0;
  const double *at = a;
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j)
      sum += *at * *at, ++at;
    if (i == m) at = result;
  }
  *result = sum * b[0];
}

void gradients(double *s, double *ds, double *p, double *dp, double *q, double *dq, int n, int m) {
  __enzyme_autodiff((void *)triangle, enzyme_dup, s, ds, enzyme_dup, p, dp, enzyme_dup, q, dq, enzyme_const, n);
  __enzyme_autodiff((void *)same, enzyme_dup, s, ds, enzyme_dup, p, dp, enzyme_const, n);
  __enzyme_autodiff((void *)either, enzyme_dup, s, ds, enzyme_dup, p, dp, enzyme_dup, q, dq, enzyme_const, n, enzyme_const, m);
}
