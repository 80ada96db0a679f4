// Indices of type int: j * n + j is made of narrow numbers, j * (n + 1), without the promise that it does not wrap. Each call asks whether it does
// (lib/Analysis/NarrowSums); where it does not, the derivative for arguments that do not overlap computes it of wide ones, and knows that what it has written
// stays: the sum alone is kept.
// RUN: %rgcc -O2 -c -mllvm -rg-print-plan %s -o /dev/null 2>&1 | FileCheck %s
void __enzyme_autodiff(void *, ...);
int enzyme_dup, enzyme_const;
// CHECK: plan for rg.primal.rg.disjoint.inverse (joint)
// CHECK: +0 double %
// CHECK-NOT: double %
// CHECK: need predecessor
static void inverse(int n, const double *l, double *x) {
  for (int j = 0; j < n; j++) {
    x[j * n + j] = 1 / l[j * n + j];
    for (int i = j + 1; i < n; i++) {
      double s = 0;
      for (int k = j; k < i; k++)
        s += l[i * n + k] * x[k * n + j];
      x[i * n + j] = -s / l[i * n + i];
    }
  }
}
void gradient(int n, double *l, double *dl, double *x, double *dx) {
  __enzyme_autodiff((void *)inverse, enzyme_const, n, enzyme_dup, l, dl, enzyme_dup, x, dx);
}

// Many neighbours: what lies behind an argument has few bounds, since those in a row are a constant apart.
// CHECK: plan for rg.primal.rg.disjoint.neighbours (joint)
static void neighbours(int n, const double *u, double *v) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) {
      const double *a = u + i * n + j;
      v[i * n + j] = a[-n - 1] * a[n + 1] + a[-n] * a[n] + a[-n + 1] * a[n - 1] + a[-1] * a[1] + a[0] * a[0];
    }
}
void gradient_neighbours(int n, double *u, double *du, double *v, double *dv) {
  __enzyme_autodiff((void *)neighbours, enzyme_const, n, enzyme_dup, u, du, enzyme_dup, v, dv);
}
