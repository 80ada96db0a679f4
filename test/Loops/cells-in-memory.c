// Numbers that outer loops compute and inner loops use are kept in memory, so that the inner loops can have an order of their own. The same bits as without
// -rg-loops, also where there is no memory for them.
// REQUIRES: loop-nests
// RUN: %rgcc -O3 %s -o %t.plain -lm
// RUN: %rgcc -O3 -mllvm -rg-loops %s -o %t.loops -lm
// RUN: %rgcc -O3 -mllvm -rg-loops -Wl,--wrap=malloc -DNO_MEMORY %s -o %t.none -lm
// RUN: %rgcc -O3 -mllvm -rg-loops -mllvm -rg-loops-any=4 %s -o %t.4 -lm
// RUN: %rgcc -O3 -mllvm -rg-loops -mllvm -rg-loops-any=5 %s -o %t.5 -lm
// RUN: %rgcc -O3 -mllvm -rg-loops -mllvm -rg-loops-any=8 %s -o %t.8 -lm
// RUN: %t.plain > %t.txt
// RUN: %t.loops | diff %t.txt -
// RUN: %t.none > %t.none.txt
// RUN: sed '$d' %t.none.txt | diff %t.txt -
// RUN: FileCheck %s --check-prefix=NONE --input-file %t.none.txt
// RUN: %t.4 | diff %t.txt -
// RUN: %t.5 | diff %t.txt -
// RUN: %t.8 | diff %t.txt -
// RUN: %rgcc -O3 -mllvm -rg-loops -mllvm -rg-print-nests -c %s -o %t.o 2>&1 | FileCheck %s
// Without malloc there are none.
// RUN: %rgcc -O3 -ffreestanding -mllvm -rg-loops -mllvm -rg-print-nests -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=FREE
// FREE-NOT: kept in memory
#include "bits.h"
#include <stdio.h>
#include <stdlib.h>
#define EACH(i, from, to) for (int i = (from); i < (to); i++)
#define M(A) double A[restrict n][n]
#define NEST __attribute__((noinline)) static void

// The quotient is computed once, and used down a column.
// CHECK-LABEL: nest {{.*}} of columns
// CHECK: kept in memory
// CHECK: split
NEST columns(int n, M(A), M(B), M(C)) {
  EACH(i, 0, n) EACH(j, 0, n) {
    double t = A[i][j] / (j + 2.0);
    EACH(k, 0, n) B[k][j] = B[k][j] * 0.5 + t;
  }
}
// A triangle; the element is replaced, and on the diagonal it is both.
NEST both_halves(int n, M(A), M(B), M(C)) {
  EACH(i, 0, n) EACH(j, i, n) {
    double s = A[j][i];
    A[j][i] = 0.25;
    double t = A[i][j];
    A[i][j] = 0.5;
    double u = (s + t) / (n - 0.5);
    EACH(k, 0, n) B[k][j] = B[k][j] * 0.75 + u * C[k][i];
  }
}
// Two numbers, of loops that differ in depth.
NEST two_depths(int n, M(A), M(B), M(C)) {
  EACH(i, 0, n) {
    double r = C[i][0] / (i + 1.5);
    EACH(j, 0, i) {
      double t = r / (A[i][j] + 3);
      EACH(k, 0, n) B[k][j] = B[k][j] * 0.5 + t * r;
    }
  }
}
// Three loops around it.
NEST three_around(int n, M(A), M(B), M(C)) {
  EACH(h, 0, 3) EACH(i, 0, n) EACH(j, 0, n) {
    double t = A[i][j] / (h + j + 2.0);
    A[i][j] = t + 0.125;
    EACH(k, 0, n) B[k][j] = B[k][j] * 0.5 + t;
  }
}
// It depends on what the inner loop has made.
NEST in_a_circle(int n, M(A), M(B), M(C)) {
  EACH(i, 0, n) EACH(j, 0, n) {
    double t = B[i][j] / (j + 2.0);
    EACH(k, 0, n) B[k][j] = B[k][j] * 0.5 + t;
  }
}
// Only some iterations compute it.
NEST sometimes(int n, M(A), M(B), M(C)) {
  EACH(i, 0, n) EACH(j, 0, n) if (j + 1 < 2 * i) {
    double t = C[i][j] / (j + 2.0);
    C[i][j] = 1;
    EACH(k, j, n) B[k][j] = B[k][j] * 0.5 + t;
  }
}

#ifdef NO_MEMORY
static int wanted;
void *__wrap_malloc(size_t bytes) {
  (void)bytes;
  wanted++;
  return NULL;
}
#endif

enum { Most = 90 };
static double a[Most * Most], b[Most * Most], c[Most * Most];
int main(void) {
  static char out[1 << 16];
  setvbuf(stdout, out, _IOFBF, sizeof out);
#define RUN(f)                                                                                                                                                     \
  {                                                                                                                                                                \
    for (int k = 0; k < n * n; k++) a[k] = number(), b[k] = number(), c[k] = number();                                                                             \
    f(n, (void *)a, (void *)b, (void *)c);                                                                                                                         \
    printf("%s %d %016llx %016llx %016llx\n", #f, n, (unsigned long long)hash(a, n), (unsigned long long)hash(b, n), (unsigned long long)hash(c, n));              \
  }
  for (int n = 0; n < Most; n = n < 5 ? n + 1 : n * 2 - 1) {
    RUN(columns)
    RUN(both_halves)
    RUN(two_depths)
    RUN(three_around)
    RUN(in_a_circle)
    RUN(sometimes)
  }
#ifdef NO_MEMORY
  // NONE: memory was wanted: 1
  printf("memory was wanted: %d\n", wanted > 0);
#endif
}
