// Backward substitution: how far an inner loop goes that begins at i + 1, with i counting down, is seen (lib/Analysis/AffineBounds), so that
// there is a derivative for arguments that do not overlap.
// RUN: %rgcc -O2 -c -mllvm -rg-print-plan %s -o /dev/null 2>&1 | FileCheck %s
void __enzyme_autodiff(void *, ...);
int enzyme_dup, enzyme_const;
// CHECK: plan for rg.primal.rg.disjoint.solve (joint)
static void solve(int n, double A[n][n], double x[n], double y[n]) {
  for (int i = 1; i < n; i++)
    for (int j = 0; j < i; j++)
      A[i][j] *= A[j][j];
  for (int i = n - 1; i >= 0; i--) {
    double w = y[i];
    for (int j = i + 1; j < n; j++)
      w -= A[i][j] * x[j];
    x[i] = w / A[i][i];
  }
}
void gradient(int n, void *A, void *dA, double *x, double *dx, double *y, double *dy) {
  __enzyme_autodiff((void *)solve, enzyme_const, n, enzyme_dup, A, dA, enzyme_dup, x, dx, enzyme_dup, y, dy);
}

// And forward substitution, which writes in the outer loop only.
// CHECK: plan for rg.primal.rg.disjoint.forward (joint)
static void forward(int n, double A[n][n], double x[n]) {
  for (int i = 0; i < n; i++) {
    double w = x[i];
    for (int j = 0; j < i; j++)
      w -= A[i][j] * x[j];
    x[i] = w;
  }
}
void gradient_forward(int n, void *A, void *dA, double *x, double *dx) {
  __enzyme_autodiff((void *)forward, enzyme_const, n, enzyme_dup, A, dA, enzyme_dup, x, dx);
}
