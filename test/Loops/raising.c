// Nests as sets: domains, accesses, the order that was found (lib/Loops/Nest.cpp).
// REQUIRES: loop-nests
// RUN: %rgcc -O2 -fno-discard-value-names -mllvm -rg-loops -mllvm -rg-print-nests -c %s -o /dev/null 2>&1 | FileCheck %s
// The printing pass alone changes nothing.
// RUN: %clang -O1 -S -emit-llvm -fno-discard-value-names %s -o %t.ll
// RUN: %opt -load-pass-plugin=%plugin '-passes=print<rg-nests>' -S %t.ll -o %t.after.ll 2>%t.printed
// RUN: grep -c '^nest ' %t.printed | grep -x 5
// RUN: not grep rg.nest %t.after.ll
// RUN: %opt -load-pass-plugin=%plugin -passes=rg-loops -S %t.ll | grep -q rg.nest

// Two deep, rows of a fixed length.
// CHECK: nest {{.*}} of columns
// CHECK: A0 = %a, strides 512 8
// CHECK: S0:{{.*}}store double
// CHECK: domain {{.*}}{ S0[i0, i1] : {{.*}}0 <= i0 <= 63 and 0 <= i1 < p
// CHECK: writes {{.*}}{ S0[i0, i1] -> A0[i1, i0]
// CHECK: interchanged
// CHECK-NEXT: for S0:i1
// CHECK-NEXT: for S0:i0
// CHECK-NEXT: S0
void columns(int n, double a[restrict][64]) {
  for (int j = 0; j < 64; j++)
    for (int i = 0; i < n; i++)
      a[i][j] += 1;
}

// A triangle, three deep, rows whose length the program computes: the array's shape comes from its strides.
// CHECK: nest {{.*}} of triangle
// CHECK: = %c, strides 8*{{.*}} 8
// CHECK: domain {{.*}}S0[i0, i1, i2] : {{.*}} and 0 <= i1 <= i0 and 0 <= i2 <= i1 }
// CHECK: writes {{.*}}[i0, i2]
void triangle(int n, double *restrict c, const double *restrict a) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k <= j; k++)
        c[(long)i * n + k] += a[(long)k * n + j];
}

// Holes, and a condition of two parts.
// CHECK: nest {{.*}} of holes
// CHECK: domain {{.*}}and 11 - i0 <= i1 < p{{.*}}i1 > i0) or (0 <= i1 < i0)
void holes(int n, double a[restrict][128], double b[restrict][128]) {
  for (int j = 0; j < 100; j++)
    for (int i = 0; i < n; i++)
      if (i != j && i + j > 10)
        a[i][j] = b[i][j];
}

// Arrays that may overlap are asked at run time.
// CHECK: nest {{.*}} of overlap
// CHECK: asked A0 apart from A1
void overlap(int n, double a[][64], double b[][64]) {
  for (int j = 0; j < 64; j++)
    for (int i = 0; i < n; i++)
      a[i][j] = 2 * b[i][j];
}

// The number that LLVM carries through the inner loop is in memory, too: no cell ties the loop to its place.
// CHECK: nest {{.*}} of product
// CHECK-NOT: carried
// CHECK: S1:{{.*}}store double
// CHECK: writes {{.*}}{ S1[i0, i1, i2] -> [[C:A[0-9]]][i0, i1]
// CHECK: reads {{.*}}{ S1[i0, i1, i2] -> [[C]][i0, i1]
// CHECK: split
// CHECK: for S1:i0
// CHECK-NEXT: for S1:i2
// CHECK-NEXT: for S1:i1
void product(int n, double c[][64], double a[][64], double b[][64]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      c[i][j] = 0;
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
    }
}
