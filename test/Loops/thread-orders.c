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

// A sum for each row, and one for each column, in order. By one thread both are best in one loop. Threads can share them where they are apart, columns in pieces of rows that lie far apart: by far better.
// CHECK: nest {{.*}} of normal
// CHECK: {{^  }}split, in strips, jammed by 4
// CHECK: for S1:i0, 4 at a time
// CHECK: for S2:i1, 64 in a strip
// CHECK: or else jammed by 4
// TOLD: thread-orders.c:[[#@LINE+2]]:{{.*}}loop nest: split, in strips, jammed by 4, by threads
void normal(int n, double a[n][n], double *x, double *y, double *t) {
  for (int i = 0; i < n; i++) {
    t[i] = 0;
    for (int j = 0; j < n; j++)
      t[i] += a[i][j] * x[j];
    for (int j = 0; j < n; j++)
      y[j] += a[i][j] * t[i];
  }
}

// What is aligned is better by one thread, in tiles over time; but threads share each step's planes in the program's order.
// CHECK: nest {{.*}} of heat
// CHECK: {{^  }}the program's order
// CHECK: or else aligned, {{.*}}tiled
// TOLD: thread-orders.c:[[#@LINE+2]]:{{.*}}loop nest: by threads
void heat(int n, double a[n][n][n], double b[n][n][n]) {
  for (int t = 0; t < 10; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          b[i][j][k] = 0.125 * (a[i + 1][j][k] + a[i - 1][j][k] + a[i][j + 1][k] + a[i][j - 1][k] + a[i][j][k + 1] + a[i][j][k - 1]) + 0.25 * a[i][j][k];
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++)
        for (int k = 1; k < n - 1; k++)
          a[i][j][k] = 0.125 * (b[i + 1][j][k] + b[i - 1][j][k] + b[i][j + 1][k] + b[i][j - 1][k] + b[i][j][k + 1] + b[i][j][k - 1]) + 0.25 * b[i][j][k];
  }
}
