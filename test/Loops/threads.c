// -rg-loops=parallel: outer loops whose iterations are independent are shared by threads, with the bits of one thread, however many run.
// REQUIRES: loop-nests
// RUN: %rgcc -O2 -fopenmp -ffp-contract=off %s -o %t.plain
// RUN: %rgcc -O2 -fopenmp -ffp-contract=off -fno-discard-value-names -mllvm -rg-loops=parallel -Rpass=rg-loops -Rpass-missed=rg-loops %s -o %t.threads 2>%t.told
// RUN: FileCheck %s --check-prefix=TOLD --input-file=%t.told
// RUN: %t.plain >%t.1
// RUN: env OMP_NUM_THREADS=3 %t.threads >%t.2
// RUN: env OMP_NUM_THREADS=8 %t.threads >%t.3
// RUN: env OMP_NUM_THREADS=1 %t.threads >%t.4
// RUN: cmp %t.1 %t.2
// RUN: cmp %t.1 %t.3
// RUN: cmp %t.1 %t.4
// RUN: FileCheck %s --check-prefix=ALL --input-file=%t.2
// RUN: %rgcc -O2 -fopenmp -ffp-contract=off -fno-discard-value-names -mllvm -rg-loops=parallel -S -emit-llvm %s -o - | FileCheck %s
// Without -rg-loops=parallel no thread is woken:
// RUN: %rgcc -O2 -ffp-contract=off -DNO_REGION -mllvm -rg-loops -S -emit-llvm %s -o - | FileCheck %s --check-prefix=ALONE
// ALONE-NOT: kmpc
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Each row by itself.
// TOLD: threads.c:[[#@LINE+5]]:{{.*}}loop nest:{{.*}}by threads
// CHECK-LABEL: define {{.*}}@product(
// CHECK: call i32 @omp_in_parallel()
// CHECK: call void {{.*}}@__kmpc_fork_call(ptr {{.*}}@product.rg.threads.task
__attribute__((noinline)) static void product(int n, double c[restrict n][n], double a[restrict n][n], double b[restrict n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      c[i][j] = 0;
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
    }
}

// A number that goes from an outer loop to an inner one: each thread has its own.
// TOLD: threads.c:[[#@LINE+2]]:{{.*}}loop nest:{{.*}}by threads
__attribute__((noinline)) static void triangle(int n, double c[restrict n][n], double a[restrict n][n]) {
  for (int i = 0; i < n; i++) {
    double t = a[i][i] * c[i][0];
    for (int j = 0; j <= i; j++)
      c[i][j] = t * a[j][i] + j;
  }
}

// The time steps follow each other, the rows of each do not.
// TOLD: threads.c:[[#@LINE+2]]:{{.*}}loop nest:{{.*}}by threads
__attribute__((noinline)) static void stencil(int n, double c[restrict n][n], double a[restrict n][n]) {
  for (int t = 0; t < 5; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        c[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i - 1][j]);
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        a[i][j] = 0.2 * (c[i][j] + c[i][j - 1] + c[i][j + 1] + c[i + 1][j] + c[i - 1][j]);
  }
}

// Two sums for each row, which may share memory: LLVM knows what the loop has stored last, and does not load it.
// TOLD-DAG: threads.c:[[#@LINE+2]]:{{.*}}loop nest:{{.*}}by threads
__attribute__((noinline)) static void last(int n, double c[n][n], double a[n][n], double *t, double *y) {
  for (int i = 0; i < n; i++) {
    t[i] = y[i] = 0;
    for (int j = 0; j < n; j++) {
      t[i] += a[i][j] * a[0][j];
      y[i] += c[i][j] * a[0][j];
    }
    y[i] = 1.5 * t[i] + 1.2 * y[i];
  }
}

// Each element needs one of its own row and one of the row above: no loop's iterations are independent, but tiles beside each other are.
// TOLD-DAG: threads.c:[[#@LINE+4]]:{{.*}}loop nest: {{.*}}tiled in fronts, by threads
// CHECK-LABEL: define {{.*}}@ordered(
// CHECK: kmpc_fork
__attribute__((noinline)) static void ordered(int n, double a[restrict n][n]) {
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++)
      a[i][j] = 0.5 * (a[i - 1][j] + a[i][j - 1]);
}

static void fill(int n, double *a, int seed) {
  for (int i = 0; i < n * n; i++)
    a[i] = (i * 7 + seed * 3) % 101 / 64.0 - 0.5;
}
static void print(const char *what, int n, const double *a) {
  unsigned long long h = 1469598103934665603u, w;
  for (int i = 0; i < n * n; i++) {
    memcpy(&w, a + i, 8);
    h = (h ^ w) * 1099511628211u;
    h ^= h >> 29;
  }
  printf("%s %d %016llx\n", what, n, h);
}
int main(void) {
  const int sizes[] = {1, 2, 7, 130, 301};
  for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    const int n = sizes[s];
    double *a = malloc(n * n * sizeof(double)), *b = malloc(n * n * sizeof(double)), *c = malloc(n * n * sizeof(double));
    fill(n, a, 1), fill(n, b, 2), fill(n, c, 3);
    product(n, (void *)c, (void *)a, (void *)b);
    print("product", n, c);
    triangle(n, (void *)c, (void *)a);
    print("triangle", n, c);
    stencil(n, (void *)c, (void *)a);
    print("stencil", n, a);
    ordered(n, (void *)a);
    print("ordered", n, a);
    last(n, (void *)c, (void *)a, b, b + n / 2 * n);
    print("last", n, b);
    last(n, (void *)c, (void *)a, b, b + n / 2);
    print("last", n, b);
#ifndef NO_REGION
    // Within a parallel region each of its threads is alone.
    double *mine[4];
    for (int k = 0; k < 4; k++)
      mine[k] = malloc(n * n * sizeof(double));
#pragma omp parallel for num_threads(4)
    for (int k = 0; k < 4; k++) {
      fill(n, mine[k], k);
      product(n, (void *)mine[k], (void *)a, (void *)b);
    }
    for (int k = 0; k < 4; k++) {
      print("region", n, mine[k]);
      free(mine[k]);
    }
#endif
    free(a), free(b), free(c);
  }
}
// ALL-COUNT-50: {{^(product|triangle|stencil|ordered|last|region)}}
