// -rg-loops=parallel: a loop that carries nothing but sums, which may be added in any order, is shared by threads that add to copies.
// REQUIRES: loop-nests
// RUN: %rgcc -O2 -fopenmp -ffp-contract=off -fno-discard-value-names -fassociative-math -fno-signed-zeros -fno-trapping-math -mllvm -rg-loops=parallel -Rpass=rg-loops %s -o %t 2>%t.told
// RUN: FileCheck %s --check-prefix=TOLD --input-file=%t.told
// RUN: env OMP_NUM_THREADS=3 %t >%t.3
// RUN: env OMP_NUM_THREADS=3 %t >%t.again
// RUN: cmp %t.3 %t.again
// RUN: env OMP_NUM_THREADS=1 %t >%t.1
// RUN: env OMP_NUM_THREADS=8 %t >%t.8
// RUN: not cmp -s %t.1 %t.3
// RUN: FileCheck %s --check-prefix=RIGHT --input-file=%t.1
// RUN: FileCheck %s --check-prefix=RIGHT --input-file=%t.3
// RUN: FileCheck %s --check-prefix=RIGHT --input-file=%t.8
// RUN: %rgcc -O2 -fopenmp -ffp-contract=off -fno-discard-value-names -fassociative-math -fno-signed-zeros -fno-trapping-math -mllvm -rg-loops=parallel -S -emit-llvm %s -o - | FileCheck %s
// In the order of the program, nothing is added to copies:
// RUN: %rgcc -O2 -fopenmp -ffp-contract=off -fno-discard-value-names -mllvm -rg-loops=parallel -Rpass=rg-loops -S %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=ORDERED --allow-empty
// ORDERED-NOT: copies
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// y = A' (A x): y is one sum over rows.
// TOLD: thread-sums.c:[[#@LINE+7]]:{{.*}}loop nest:{{.*}}by threads, which add to copies
// CHECK-LABEL: define {{.*}}@normal(
// CHECK: call i32 @omp_get_max_threads()
// CHECK: call {{.*}}@malloc(
// CHECK: call void {{.*}}@__kmpc_fork_call(ptr {{.*}}@normal.rg.threads.task
// CHECK: call void @free(
__attribute__((noinline)) static void normal(int n, double a[restrict n][n], double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) {
    double t = 0;
    for (int j = 0; j < n; j++)
      t += a[i][j] * x[j];
    for (int j = 0; j < n; j++)
      y[j] += a[i][j] * t;
  }
}
// Nobody waits for another one in the loop.
// CHECK-LABEL: define {{.*}}@normal.rg.threads(
// CHECK-NOT: atomic
// CHECK-NOT: call{{.*}}kmpc
// CHECK: {{^}}}

// What is not written stays untouched, so an array with holes is not copied; nor is one that is read for something else.
// TOLD-NOT: thread-sums.c:[[#@LINE+2]]:{{.*}}copies
__attribute__((noinline)) static void holes(int n, double a[restrict n][n], double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) {
    double t = x[i];
    for (int j = 0; j < n; j++)
      t += a[i][j] * x[j];
    for (int j = 0; j < n; j++)
      y[2 * j] += a[i][j] * t;
  }
}
// TOLD-NOT: thread-sums.c:[[#@LINE+2]]:{{.*}}copies
__attribute__((noinline)) static void reads(int n, double a[restrict n][n], double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++) {
    double t = y[i];
    for (int j = 0; j < n; j++)
      t += a[i][j] * x[j];
    for (int j = 0; j < n; j++)
      y[j] += 1e-3 * a[i][j] * t;
  }
}

static double at(int i, int j) { return (i * 7 + j * 3) % 101 / 63.0 - 0.5; }
int main(void) {
  const int n = 701;
  double(*a)[n] = malloc(sizeof(double[n][n])), *x = malloc(n * sizeof(double)), *y = malloc(2 * n * sizeof(double));
  for (int i = 0; i < n; i++) {
    x[i] = at(i, 3);
    y[i] = y[i + n] = at(i, 5);
    for (int j = 0; j < n; j++)
      a[i][j] = at(i, j);
  }
  normal(n, a, x, y);
  double worst = 0;
  for (int j = 0; j < n; j++) {
    double sum = at(j, 5);
    for (int i = 0; i < n; i++) {
      double t = 0;
      for (int k = 0; k < n; k++)
        t += at(i, k) * at(k, 3);
      sum += at(i, j) * t;
    }
    worst = fmax(worst, fabs(sum - y[j]) / (1 + fabs(sum)));
  }
  printf("normal: %s\n", worst < 1e-9 ? "right" : "wrong"); // RIGHT: normal: right
  for (int j = 0; j < n; j++)
    printf("%a\n", y[j]);
  holes(n, a, x, y);
  reads(n, a, x, y);
  for (int j = 0; j < n; j++)
    y[j] == y[j] ? (void)0 : (void)printf("not a number\n"); // RIGHT-NOT: not a number
}
