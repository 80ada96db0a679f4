// Products of matrices run in tiles, with two loops jammed in them, and compute the same bits at sizes around tiles and lanes.
// REQUIRES: loop-nests, x86_64-linux
// RUN: %rgcc -O2 -march=x86-64-v3 -fno-discard-value-names -mllvm -rg-loops -mllvm -rg-print-nests -c %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %clang -O1 -ffp-contract=off %s -o %t.plain
// RUN: %rgcc -O2 -ffp-contract=off -mllvm -rg-loops %s -o %t.loops
// RUN: %rgcc -O3 -march=native -ffp-contract=off -mllvm -rg-loops %s -o %t.native
// RUN: %t.plain >%t.1
// RUN: %t.loops >%t.2
// RUN: %t.native >%t.3
// RUN: cmp %t.1 %t.2
// RUN: cmp %t.1 %t.3
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL __attribute__((noinline)) void

// Rows innermost, in pieces; i and k jammed.
// CHECK: nest {{.*}} of product
// CHECK: {{^  }}split, jammed by {{[248]}}, jammed by {{[248]}}, tiled
// CHECK: for S1:i{{[02]}}/{{[0-9]+$}}
// CHECK: for S1:i0, {{[248]}} at a time
// CHECK-NEXT: for S1:i2, {{[248]}} at a time
// CHECK-NEXT: for S1:i1
// CHECK-NEXT: S1
KERNEL product(int n, int m, double *c, double *a, double *b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      c[(long)i * m + j] = 0;
      for (int k = 0; k < n; k++)
        c[(long)i * m + j] += a[(long)i * n + k] * b[(long)k * m + j];
    }
}
// Only loops below the diagonal.
KERNEL triangular(int n, int m, double *c, double *a, double *b) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      for (int k = i + 1; k < n; k++)
        c[(long)i * m + j] += a[(long)k * n + i] * c[(long)k * m + j];
      c[(long)i * m + j] *= 1.5 + b[j];
    }
}
// A neighbouring loop has just read the row: the body stays together, and two rows share y.
// CHECK: nest {{.*}} of twice
// CHECK-NOT: split
// CHECK: {{^  }}jammed by 4
KERNEL twice(int n, int m, double *y, double *a, double *x) {
  for (int i = 0; i < n; i++) {
    double t = 0;
    for (int j = 0; j < m; j++)
      t += a[(long)i * m + j] * x[j];
    for (int j = 0; j < m; j++)
      y[j] += a[(long)i * m + j] * t;
  }
}
// One sum for each j, in strips of j, which become the innermost loops.
// CHECK: nest {{.*}} of symmetric
// CHECK: in strips
// CHECK: for {{.*}}, 64 in a strip
KERNEL symmetric(int n, int m, double *c, double *a, double *b) {
  for (int i = 1; i < n; i++)
    for (int j = 0; j < m; j++) {
      double t = 0;
      for (int k = 0; k < i; k++) {
        c[(long)k * m + j] += b[(long)i * m + j] * a[(long)i * n + k];
        t += b[(long)k * m + j] * a[(long)i * n + k];
      }
      c[(long)i * m + j] = 0.5 * c[(long)i * m + j] + t;
    }
}
// CHECK: of main

static uint64_t state = 1;
static void fill(double *p, long count) {
  for (long k = 0; k < count; k++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    p[k] = (double)(int64_t)(state >> 20) / 1e13;
  }
}

int main(void) {
  const int sizes[] = {0, 1, 3, 4, 31, 33, 64, 67, 130, 257};
  enum { Most = 600 };
  double *a = malloc(sizeof(double) * Most * Most), *b = malloc(sizeof(double) * Most * Most), *c = malloc(sizeof(double) * Most * Most);
  for (int s = 0; s != sizeof sizes / sizeof *sizes; ++s)
    for (int which = 0; which != 8; ++which) {
      int n = sizes[s], m = which % 2 ? n : 2 * n + 5;
      fill(a, Most * Most);
      fill(b, Most * Most);
      fill(c, Most * Most);
      if (which < 2)
        product(n, m, c, a, b);
      else if (which < 4)
        triangular(n, m, c, a, b);
      else if (which < 6)
        twice(n, m, c, a, b);
      else
        symmetric(n, m, c, a, b);
      uint64_t hash = 0;
      for (long k = 0; k < Most * Most; ++k) {
        uint64_t bits;
        memcpy(&bits, &c[k], sizeof bits);
        hash = (hash ^ bits) * 1099511628211u + (hash >> 29);
      }
      printf("%d n %d m %d: %016llx\n", which, n, m, (unsigned long long)hash);
    }
  return 0;
}
