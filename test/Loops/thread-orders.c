// The order that threads get is the best one of one thread, cut so that more of it can be shared, unless another one is clearly better.
// REQUIRES: loop-nests
// RUN: %rgcc -O3 -march=x86-64-v3 -fopenmp -fno-discard-value-names -mllvm -rg-loops=parallel -mllvm -rg-print-nests -Rpass=rg-loops -Rpass-missed=rg-loops -c %s -o %t.o 2>%t.told
// RUN: FileCheck %s --input-file=%t.told
// RUN: FileCheck %s --input-file=%t.told --check-prefix=TOLD

// Rows stay in the innermost loop. They are cut into pieces, which threads share in each iteration of the loop around.
// CHECK: nest {{.*}} of rows
// CHECK: {{^  }}split, jammed by 2, tiled
// CHECK: for S1:i1/64
// CHECK-NEXT: for S1:i2, 2 at a time
// CHECK-NEXT: for S1:i1
// CHECK: takes 0.0{{[0-9]+}} of the program's time by one thread, 0.0{{[0-9]+}} by all
// CHECK: or else split, jammed by 2
// CHECK: takes 0.0{{[0-9]+}} of the program's time by one thread{{$}}
// TOLD: thread-orders.c:[[#@LINE+2]]:{{.*}}loop nest: split, jammed by 2, tiled, by threads
void rows(int n, double a[n][n], double c[n][n], double *s) {
  for (int q = 0; q < n; q++) {
    for (int p = 0; p < n; p++) {
      s[p] = 0;
      for (int k = 0; k < n; k++)
        s[p] += a[q][k] * c[k][p];
    }
    for (int p = 0; p < n; p++)
      a[q][p] = 0.5 * s[p];
  }
}

// A nest with many loops when it is jammed twice and tiled: each is asked whether threads can share it.
// CHECK: nest {{.*}} of product
// CHECK: {{^  }}split, jammed by {{[248]}}, jammed by {{[248]}}, tiled
// TOLD: thread-orders.c:[[#@LINE+2]]:{{.*}}loop nest: split, jammed by {{[248]}}, jammed by {{[248]}}, tiled, by threads
void product(int n, double c[n][n], double a[n][n], double b[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      c[i][j] *= 1.2;
      for (int k = 0; k < n; k++)
        c[i][j] += 1.5 * a[i][k] * b[k][j];
    }
}

// A sum for each row, and one for each column, in order. Threads could share columns, in pieces of rows that lie far apart: that is not taken.
// CHECK: nest {{.*}} of normal
// CHECK: {{^  }}jammed by 4
// CHECK-NOT: strip
// TOLD: thread-orders.c:[[#@LINE+2]]:{{.*}}loop nest: jammed by 4 [
void normal(int n, double a[n][n], double *x, double *y, double *t) {
  for (int i = 0; i < n; i++) {
    t[i] = 0;
    for (int j = 0; j < n; j++)
      t[i] += a[i][j] * x[j];
    for (int j = 0; j < n; j++)
      y[j] += a[i][j] * t[i];
  }
}
