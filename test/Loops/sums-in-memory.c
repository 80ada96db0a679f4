// What a loop carries is kept where it was loaded, if it is stored there again: so loops around change places. The same bits as without -rg-loops, also where the
// element is looked at, or stored, between the load and the store, and where the loop is passed by.
// REQUIRES: loop-nests
// RUN: %rgcc -O3 %s -o %t.plain -lm
// RUN: %rgcc -O3 -mllvm -rg-loops %s -o %t.loops -lm
// RUN: %rgcc -O3 -mllvm -rg-loops=parallel -mllvm -rg-loops-any=2 %s -o %t.2 -lm -fopenmp
// RUN: %rgcc -O3 -mllvm -rg-loops -mllvm -rg-loops-any=4 %s -o %t.4 -lm
// RUN: %rgcc -O3 -mllvm -rg-loops -mllvm -rg-loops-any=6 %s -o %t.6 -lm
// RUN: %t.plain > %t.txt
// RUN: %t.loops | diff %t.txt -
// RUN: env OMP_NUM_THREADS=3 %t.2 | diff %t.txt -
// RUN: %t.4 | diff %t.txt -
// RUN: %t.6 | diff %t.txt -
// RUN: %rgcc -O3 -mllvm -rg-loops -mllvm -rg-print-nests -c %s -o %t.o 2>&1 | FileCheck %s
#include "bits.h"
#include <stdio.h>
#define EACH(i, from, to) for (int i = (from); i < (to); i++)
#define M(A) double A[n][n]
#define NEST __attribute__((noinline)) static void

// LU without anything kept in a cell, and without a store of what is there.
// CHECK-LABEL: nest {{.*}} of factors
// CHECK-NOT: carried
// CHECK: S2:
// CHECK-NOT: S3:
// CHECK: aligned, fused
// CHECK-LABEL: nest {{.*}} of columns
// CHECK-NOT: carried
// CHECK: interchanged
NEST factors(int n, M(A), M(B)) {
  EACH(i, 0, n) {
    EACH(j, 0, i) {
      double w = A[i][j];
      EACH(k, 0, j) w -= A[i][k] * A[k][j];
      A[i][j] = w / A[j][j];
    }
    EACH(j, i, n) {
      double w = A[i][j];
      EACH(k, 0, i) w -= A[i][k] * A[k][j];
      A[i][j] = w;
    }
  }
}
// Sums that go down columns: rows are better.
NEST columns(int n, M(A), M(B)) {
  EACH(i, 0, n) EACH(j, 0, n) {
    double w = A[i][j];
    EACH(k, 0, i) w += B[i][k] * B[k][j];
    A[i][j] = w;
  }
}
// The loop looks at the element itself (k = j).
NEST looked_at(int n, M(A), M(B)) {
  EACH(i, 0, n) EACH(j, 0, n) {
    double w = A[i][j];
    EACH(k, 0, n) w += A[i][k] * B[k][j];
    A[i][j] = w;
  }
}
// It is looked at behind the loop.
NEST looked_at_behind(int n, M(A), M(B)) {
  EACH(i, 0, n) EACH(j, 1, n) {
    double w = A[i][j];
    EACH(k, 0, i) w += B[i][k] * B[k][j];
    B[i][n - 1] = A[i][j - 1] + A[n - 1 - i][j];
    A[i][j] = w;
  }
}
// It is stored between.
NEST stored_between(int n, M(A), M(B)) {
  EACH(i, 0, n) EACH(j, 0, n) {
    double w = A[i][j];
    A[i][n - 1 - j] = 3;
    EACH(k, 0, i) w += B[i][k] * B[k][j];
    A[j][i] = 4;
    A[i][j] = w;
  }
}
// Stored in some iterations only.
NEST stored_sometimes(int n, M(A), M(B)) {
  EACH(i, 0, n) EACH(j, 0, n) {
    double w = A[i][j];
    EACH(k, 0, i) w += B[i][k] * B[k][j];
    B[j][i] = w;
    if (j > i)
      A[i][j] = w;
  }
}
// The first number is used again.
NEST first_again(int n, M(A), M(B)) {
  EACH(i, 0, n) EACH(j, 0, n) {
    double first = A[i][j], w = first;
    EACH(k, 0, i) w += B[i][k] * B[k][j];
    B[n - 1][j] = first;
    A[i][j] = w * first;
  }
}
// Each of the numbers that are carried is stored elsewhere, too.
NEST each_elsewhere(int n, M(A), M(B)) {
  EACH(i, 0, n) EACH(j, 0, n) {
    double w = A[j][i];
    EACH(k, 0, i) {
      w += 0.5 * B[i][k] * w;
      B[j][k] = w;
    }
    A[j][i] = w;
  }
}
// It is used again behind the store.
NEST stored_and_used(int n, M(A), M(B)) {
  EACH(i, 0, n) EACH(j, 0, n) {
    double w = A[i][j];
    EACH(k, 0, i) w += B[i][k] * 0.5;
    A[i][j] = w * 0.25;
    B[i][j] = w;
  }
}
// Sums of one loop that need each other.
NEST crossed(int n, M(A), M(B)) {
  EACH(i, 0, n) EACH(j, 0, n) {
    double v = A[i][j], w = B[j][i];
    EACH(k, 0, i) {
      double next = v + 0.5 * w;
      w = w * 0.75 + v / n;
      v = next;
    }
    A[i][j] = v;
    B[j][i] = w;
  }
}
// Behind the loop, a way on which it ran has the first number.
NEST first_behind(int n, M(A), M(B)) {
  EACH(i, 0, n) EACH(j, 0, n) {
    double first = A[i][j], w = first;
    EACH(k, 0, j) w += B[i][k] * B[k][j];
    if (i > j) {
      w = first;
      B[i][0] = 2;
    }
    A[i][j] = w;
  }
}

static double a[90 * 90], b[90 * 90];
int main(void) {
#define RUN(f)                                                                                                                                                     \
  {                                                                                                                                                                \
    for (int k = 0; k < n * n; k++) a[k] = number(), b[k] = number() / n;                                                                                          \
    EACH(k, 0, n) a[k * n + k] += n;                                                                                                                               \
    f(n, (void *)a, (void *)b);                                                                                                                                    \
    printf("%s %d %016llx %016llx\n", #f, n, (unsigned long long)hash(a, n), (unsigned long long)hash(b, n));                                                      \
  }
  for (int n = 1; n < 90; n = n < 5 ? n + 1 : n * 2 - 1) {
    RUN(factors)
    RUN(columns)
    RUN(looked_at)
    RUN(looked_at_behind)
    RUN(stored_between)
    RUN(stored_sometimes)
    RUN(first_again)
    RUN(each_elsewhere)
    RUN(stored_and_used)
    RUN(crossed)
    RUN(first_behind)
  }
}
