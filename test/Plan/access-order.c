// In place: elements that are not written any more are read again in the reverse sweep, others are not.
// RUN: %rgcc -O2 -c %s -o /dev/null -mllvm -rg-print-overwrite 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -c %s -o /dev/null -mllvm -rg-print-overwrite -mllvm -rg-disable=access-order 2>&1 | FileCheck --check-prefix=WITHOUT %s
int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

// Solved in place: x[j], j < i, is final when row i is done.
// CHECK-LABEL: overwrite in rg.primal.forward
// CHECK-NOT: overwritten
// WITHOUT-LABEL: overwrite in rg.primal.forward
// WITHOUT: overwritten
void forward(int n, double (*restrict L)[n], double *restrict x) {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < i; j++) sum += L[i][j] * x[j];
    x[i] = sum + L[i][i];
  }
}
// The other direction: x[j], j > i, will be written.
// CHECK-LABEL: overwrite in rg.primal.later
// CHECK: overwritten
void later(int n, double (*restrict L)[n], double *restrict x) {
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = i + 1; j < n; j++) sum += L[i][j] * x[j] * x[j];
    x[i] = sum;
  }
}
// Rows that may run into each other: the column can be as large as the row and more.
// CHECK-LABEL: overwrite in rg.primal.ragged
// CHECK: overwritten
void ragged(long n, long m, double *restrict A) {
  for (long i = 1; i < n; i++)
    for (long j = 0; j < m; j++) A[i * n + j] = A[(i - 1) * n + j] * A[(i - 1) * n + j];
}
// The same with columns that lie in their row: the row above is final.
// CHECK-LABEL: overwrite in rg.primal.straight
// CHECK-NOT: overwritten
void straight(long n, double *restrict A) {
  for (long i = 1; i < n; i++)
    for (long j = 0; j < n; j++) A[i * n + j] = A[(i - 1) * n + j] * A[(i - 1) * n + j];
}
// All again: then nothing is final.
// CHECK-LABEL: overwrite in rg.primal.again
// CHECK: overwritten
void again(long n, double *restrict A) {
  for (int t = 0; t < 3; t++)
    for (long i = 1; i < n; i++)
      for (long j = 0; j < n; j++) A[i * n + j] = A[(i - 1) * n + j] * A[(i - 1) * n + j];
}
// LLVM makes the row's offset (i == 0 ? 0 : i * n) of loops that the first row leaves out.
// CHECK-LABEL: overwrite in rg.primal.triangle
// CHECK: repeatable
// CHECK: repeatable
// CHECK: repeatable
// CHECK: repeatable
void triangle(int n, double (*A)[n]) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++) A[i][j] -= A[i][k] * A[j][k];
      A[i][j] /= A[j][j];
    }
    for (int k = 0; k < i; k++) A[i][i] -= A[i][k] * A[i][k];
    A[i][i] *= A[i][i];
  }
}
// Row 20 is another one, which a later store comes to.
// CHECK-LABEL: overwrite in rg.primal.astray
// CHECK-NOT: repeatable
void astray(long n, double *restrict A, double *restrict B) {
  for (long i = 0; i < n; i++) {
    long row = i * n;
    if (i == 20) {
      row = 5;
      B[0] = 1;
    }
    A[row + i] = A[row] * A[row];
  }
}
// Rows of a known length.
// CHECK-LABEL: overwrite in rg.primal.known
// CHECK-NOT: overwritten
void known(int n, double A[restrict][40]) {
  for (int i = 1; i < n; i++)
    for (int j = 1; j < 39; j++) A[i][j] = A[i - 1][j - 1] * A[i - 1][j + 1];
}
// CHECK-LABEL: overwrite in rg.primal.steps
// CHECK: overwritten
void steps(int n, double *restrict A) {
  for (int i = 1; i < n; i++)
    for (int j = 1; j < 90; j++) A[i * 40 + j] = A[(i - 1) * 40 + j - 1] * A[(i - 1) * 40 + j + 1];
}
void all(int n, void *a, void *da, double *x, double *dx) {
  __enzyme_autodiff((void *)forward, enzyme_const, n, enzyme_dup, a, da, enzyme_dup, x, dx);
  __enzyme_autodiff((void *)later, enzyme_const, n, enzyme_dup, a, da, enzyme_dup, x, dx);
  __enzyme_autodiff((void *)ragged, enzyme_const, (long)n, enzyme_const, (long)n, enzyme_dup, a, da);
  __enzyme_autodiff((void *)straight, enzyme_const, (long)n, enzyme_dup, a, da);
  __enzyme_autodiff((void *)again, enzyme_const, (long)n, enzyme_dup, a, da);
  __enzyme_autodiff((void *)triangle, enzyme_const, n, enzyme_dup, a, da);
  __enzyme_autodiff((void *)astray, enzyme_const, (long)n, enzyme_dup, a, da, enzyme_dup, x, dx);
  __enzyme_autodiff((void *)known, enzyme_const, n, enzyme_dup, a, da);
  __enzyme_autodiff((void *)steps, enzyme_const, n, enzyme_dup, a, da);
}
