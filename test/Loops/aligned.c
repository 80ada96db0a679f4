// Factorisations and sweeps whose statements wait for each other: aligned, fused or skewed, their loops are jammed, and compute the same bits at sizes
// around lanes, by one thread and by three. What sqrt() does to errno is done in the same order.
// REQUIRES: loop-nests, x86_64-linux
// RUN: %rgcc -O3 -march=x86-64-v3 -mllvm -rg-loops -Rpass=rg-loops -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %clang -O1 -ffp-contract=off %s -lm -o %t.plain
// RUN: %rgcc -O2 -ffp-contract=off -mllvm -rg-loops %s -lm -o %t.loops
// RUN: %rgcc -O3 -march=native -ffp-contract=off -mllvm -rg-loops %s -lm -o %t.native
// RUN: %rgcc -O2 -fopenmp -ffp-contract=off -mllvm -rg-loops=parallel %s -lm -o %t.threads
// RUN: %t.plain >%t.1
// RUN: %t.loops >%t.2
// RUN: %t.native >%t.3
// RUN: env OMP_NUM_THREADS=3 %t.threads >%t.4
// RUN: cmp %t.1 %t.2
// RUN: cmp %t.1 %t.3
// RUN: cmp %t.1 %t.4
// RUN: FileCheck %s --check-prefix=ALL --input-file=%t.2
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL __attribute__((noinline)) void

// Quotients stand in the loop of what is subtracted.
// CHECK: aligned.c:[[#@LINE+2]]:{{.*}}loop nest: aligned, fused, {{.*}}jammed by
KERNEL lu(int n, double A[n][n]) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        A[i][j] -= A[i][k] * A[k][j];
      A[i][j] /= A[j][j];
    }
    for (int j = i; j < n; j++)
      for (int k = 0; k < i; k++)
        A[i][j] -= A[i][k] * A[k][j];
  }
}

// The address of the diagonal is not computed where i is 0.
// CHECK: aligned.c:[[#@LINE+2]]:{{.*}}loop nest: aligned, fused, interchanged, jammed by
KERNEL solve(int n, double L[n][n], double *x, double *b) {
  for (int i = 0; i < n; i++) {
    x[i] = b[i];
    for (int j = 0; j < i; j++)
      x[i] -= L[i][j] * x[j];
    x[i] /= L[i][i];
  }
}

// CHECK: aligned.c:[[#@LINE+2]]:{{.*}}loop nest: aligned, {{.*}}jammed by
KERNEL cholesky(int n, double A[n][n]) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      for (int k = 0; k < j; k++)
        A[i][j] -= A[i][k] * A[j][k];
      A[i][j] /= A[j][j];
    }
    for (int k = 0; k < i; k++)
      A[i][i] -= A[i][k] * A[i][k];
    A[i][i] = sqrt(A[i][i]);
  }
}

// Sweeps follow each other two rows apart.
// CHECK: aligned.c:[[#@LINE+2]]:{{.*}}loop nest: skewed, jammed by
KERNEL sweeps(int n, double A[n][n]) {
  for (int t = 0; t < 20; t++)
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1] + A[i][j - 1] + A[i][j] + A[i][j + 1] + A[i + 1][j - 1] +
                   A[i + 1][j] + A[i + 1][j + 1]) / 9;
}

static uint64_t hash(const double *a, long n) {
  uint64_t h = 1469598103934665603u, w;
  for (long k = 0; k < n; k++) {
    memcpy(&w, a + k, 8);
    h = (h ^ w) * 1099511628211u;
  }
  return h;
}

int main(void) {
  static const int sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 18, 31, 33, 64, 67, 70, 130, 257};
  for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    const int n = sizes[s];
    double(*A)[n] = malloc(sizeof(double) * n * n), *x = malloc(sizeof(double) * n), *b = malloc(sizeof(double) * n);
    for (int kernel = 0; kernel < 5; kernel++) {
      for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
          A[i][j] = i == j ? (kernel == 4 && i == n / 2 ? -1 : 4 + i % 3) : ((i * 7 + j * 3) % 11 - 5) / (8.0 * n);
      for (int i = 0; i < n; i++)
        b[i] = i % 5 - 1.5, x[i] = 0;
      errno = 0;
      switch (kernel) {
      case 0: lu(n, A); break;
      case 1: solve(n, A, x, b); break;
      case 3: sweeps(n, A); break;
      default: cholesky(n, A);
      }
      // The sign of a NaN is nobody's promise.
      if (kernel == 4)
        for (int i = 0; i < n; i++)
          for (int j = 0; j < n; j++)
            if (A[i][j] != A[i][j])
              A[i][j] = 0;
      printf("%d %d %016llx %016llx%s\n", n, kernel, (unsigned long long)hash(A[0], (long)n * n), (unsigned long long)hash(x, n), errno == EDOM ? " EDOM" : "");
    }
    free(A), free(x), free(b);
  }
  printf("done\n");
}
// ALL: 257 2 {{[0-9a-f]+ [0-9a-f]+$}}
// ALL: 257 4 {{.*}} EDOM
// ALL: done
