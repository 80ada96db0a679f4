// Backward substitution: how far an inner loop goes that begins at i + 1, with i counting down, is seen (lib/Analysis/AffineBounds), so that
// there is a derivative for arguments that do not overlap.
// RUN: %rgcc -O2 -S -emit-llvm %s -o - | FileCheck %s
void __enzyme_autodiff(void *, ...);
int enzyme_dup, enzyme_const;
// CHECK: define internal void @rg.rg.disjoint.solve.grad
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
