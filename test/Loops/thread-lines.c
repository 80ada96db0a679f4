// Threads that write to one line of memory take it from each other: a thread has whole lines, eight columns of numbers, where columns are shared one by one.
// REQUIRES: loop-nests
// RUN: %rgcc -O2 -fopenmp -ffp-contract=off %s -o %t.plain -lm
// RUN: %rgcc -O2 -fopenmp -ffp-contract=off -mllvm -rg-loops=parallel %s -o %t.threads -lm
// RUN: %t.plain >%t.1
// RUN: env OMP_NUM_THREADS=3 %t.threads >%t.2
// RUN: env OMP_NUM_THREADS=8 %t.threads >%t.3
// RUN: cmp %t.1 %t.2
// RUN: cmp %t.1 %t.3
// RUN: %rgcc -O3 -march=x86-64-v3 -fopenmp -fno-discard-value-names -mllvm -rg-loops=parallel -Rpass=rg-loops -S -emit-llvm %s -o %t.ll 2>%t.told
// RUN: FileCheck %s --check-prefix=TOLD --input-file=%t.told
// RUN: FileCheck %s --input-file=%t.ll
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Columns that fill no strip are on both sides of those that do.
// TOLD: thread-lines.c:[[#@LINE+5]]:{{.*}}in strips, by threads
// CHECK-LABEL: define internal void @orthogonal.rg.threads.
// CHECK: call i64 @llvm.smax.i64(i64 %{{[^,]*}}, i64 8)
// A strip is several lines by itself.
__attribute__((noinline)) static void orthogonal(int n, double a[restrict n][n], double r[restrict n][n], double q[restrict n][n]) {
  for (int k = 0; k < n; k++) {
    double norm = 0;
    for (int i = 0; i < n; i++)
      norm += a[i][k] * a[i][k];
    r[k][k] = sqrt(norm);
    for (int i = 0; i < n; i++)
      q[i][k] = a[i][k] / r[k][k];
    for (int j = k + 1; j < n; j++) {
      r[k][j] = 0;
      for (int i = 0; i < n; i++)
        r[k][j] += q[i][k] * a[i][j];
      for (int i = 0; i < n; i++)
        a[i][j] -= q[i][k] * r[k][j];
    }
  }
}

// Rows are lines of their own.
// CHECK-LABEL: define internal void @rows.rg.threads
// CHECK-NOT: smax.i64({{.*}}, i64 8)
// CHECK: ret void
__attribute__((noinline)) static void rows(int n, double a[restrict n][n], double b[restrict n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      a[i][j] += b[i][j];
}

int main(void) {
  const int sizes[] = {1, 7, 64, 150, 211};
  for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    const int n = sizes[s];
    double *a = malloc(n * n * sizeof(double)), *r = calloc(n * n, sizeof(double)), *q = calloc(n * n, sizeof(double));
    for (int i = 0; i < n * n; i++)
      a[i] = (i * 7 + 3) % 101 / 64.0 + (i % (n + 1) ? 0 : 4);
    orthogonal(n, (void *)a, (void *)r, (void *)q);
    rows(n, (void *)a, (void *)q);
    unsigned long long h = 1469598103934665603u, w;
    for (int i = 0; i < n * n; i++)
      for (int of = 0; of < 3; of++) {
        memcpy(&w, (of == 0 ? a : of == 1 ? r : q) + i, 8);
        h = (h ^ w) * 1099511628211u;
        h ^= h >> 29;
      }
    printf("%d %016llx\n", n, h);
    free(a), free(r), free(q);
  }
  return 0;
}
