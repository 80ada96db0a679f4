// A sum that begins with a number of its own is where it will be stored behind its loop, from its beginning on, so that loops around change places. A constant that
// overwrites what has been loaded waits for the end of the iteration, if nobody looks for it. What an innermost loop adds to is in registers meanwhile. The same
// bits as without -rg-loops, also where the element is looked at, or stored, between, and where loops are passed by.
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
// RUN: %rgcc -O3 -DROUNDED %s -o %t.rounded -lm
// RUN: %rgcc -O3 -march=native -DROUNDED -fassociative-math -fno-signed-zeros -fno-trapping-math -mllvm -rg-loops %s -o %t.sums -lm
// RUN: %t.rounded > %t.txt
// RUN: %t.sums | diff %t.txt -
// RUN: %rgcc -O3 -mllvm -rg-loops -mllvm -rg-print-nests -c %s -o %t.o 2>&1 | FileCheck %s
#include "bits.h"
#include <stdio.h>
#define EACH(i, from, to) for (int i = (from); i < (to); i++)
#define M(A) double A[n][n]
#define NEST __attribute__((noinline)) static void

// CHECK-LABEL: nest {{.*}} of product
// CHECK-NOT: carried
// CHECK: split, jammed
NEST product(int n, M(A), M(B)) {
  EACH(i, 0, n) EACH(j, 0, n) {
    double w = 0;
    EACH(k, 0, n) w += B[i][k] * B[k][j];
    A[i][j] = w;
  }
}
// CHECK-LABEL: nest {{.*}} of scaled
// CHECK-NOT: carried
// CHECK: split, jammed
NEST scaled(int n, M(A), M(B)) {
  EACH(i, 0, n) EACH(j, 0, n) {
    double w = A[i][j] * 1.25 + i;
    EACH(k, 0, n) w += B[i][k] * B[k][j];
    A[i][j] = w;
  }
}
NEST rows(int n, M(A), M(B)) {
  EACH(i, 0, n) EACH(j, 0, n) {
    double w = 0.5 * i;
    EACH(k, 0, i) w += B[k][i] * B[k][j];
    A[i][j] = w;
  }
}
// The loop looks at what will be overwritten.
NEST looked_at_first(int n, M(A), M(B)) {
  EACH(i, 0, n) EACH(j, 0, n) {
    double w = 0;
    EACH(k, 0, n) w += A[i][k] * B[k][j];
    A[i][j] = w;
  }
}
// Another store goes to the element, between.
NEST stored_first(int n, M(A), M(B)) {
  EACH(i, 0, n) EACH(j, 0, n) {
    double w = 1;
    EACH(k, 0, n) {
      w += B[i][k] * B[k][j];
      A[i][k] = w;
    }
    A[i][j] = w;
  }
}
// The loop runs for some j only.
NEST passed_by(int n, M(A), M(B)) {
  EACH(i, 0, n) EACH(j, 0, n) {
    double w = B[j][i];
    EACH(k, j, i) w += B[i][k] * B[k][j];
    A[i][j] = w;
  }
}
NEST elsewhere(int n, M(A), M(B)) {
  EACH(i, 0, n) EACH(j, 0, n) {
    double w = 0;
    EACH(k, 0, n) w += B[i][k] * B[k][j];
    A[n - 1 - i][j] = w;
    if (j > 2)
      A[i][j] = w;
  }
}
NEST first_is_used(int n, M(A), M(B)) {
  EACH(i, 0, n) EACH(j, 0, n) {
    double first = A[i][j] + 1, w = first;
    EACH(k, 0, n) w += B[i][k] * B[k][j] * first;
    A[i][j] = w;
    B[j][n - 1] = first;
  }
}
// What is loaded is overwritten by a constant in front of the loop that uses it.
// CHECK-LABEL: nest {{.*}} of late
// CHECK-NOT: kept
// CHECK: {{jammed|interchanged|strips}}
NEST late(int n, M(A), double B[restrict n][n]) {
  EACH(i, 0, n) EACH(j, 0, n) {
    double d = A[i][j];
    A[i][j] = 0;
    EACH(k, 0, n) B[k][j] += d * (k + 1);
  }
}
NEST late_seen(int n, M(A), double B[restrict n][n]) {
  EACH(i, 0, n) EACH(j, 0, n) {
    double d = A[i][j];
    A[i][j] = 0;
    EACH(k, 0, n) B[k][j] += d * A[i][k];
  }
}
NEST late_stored(int n, M(A), double B[restrict n][n]) {
  EACH(i, 0, n) EACH(j, 0, n) {
    double d = A[i][j];
    A[i][j] = 0;
    EACH(k, 0, n) {
      B[k][j] += d * 0.5;
      A[i][k] = 0.25 * k;
    }
  }
}
NEST late_twice(int n, M(A), double B[restrict n][n]) {
  EACH(i, 0, n) EACH(j, 0, n) {
    double d = A[i][j];
    A[i][j] = 0;
    EACH(k, 0, j) B[k][j] += d * 0.5;
    double e = A[i][j];
    A[i][j] = 1;
    EACH(k, j, n) B[k][j] += e + d * B[k][i];
  }
}
// The next iteration looks for the constant.
NEST late_again(int n, M(A), double B[restrict n][n]) {
  EACH(i, 1, n) EACH(j, 1, n) {
    double d = A[i][j];
    A[i][j] = 2;
    EACH(k, 0, n) B[k][j] += d * A[i][j - 1] + A[i - 1][j];
  }
}
// Additions of an innermost loop to elements that it does not change.
NEST sums_apart(int n, M(A), M(B)) {
  EACH(i, 0, n) EACH(k, 0, n) EACH(j, 0, n) A[i][k] += B[i][j] * B[k][j];
}
// Different iterations may add to one element.
NEST sums_meet(int n, M(A), M(B)) {
  EACH(i, 0, n) EACH(k, 0, n) EACH(j, 0, n) if (i + k < n) A[0][i + k] += B[i][j] * B[k][j];
}
NEST sums_read(int n, M(A), M(B)) {
  EACH(i, 1, n) EACH(k, 0, n) EACH(j, 0, n) A[i][k] += A[i - 1][j] * B[k][j];
}

static double a[90 * 90], b[90 * 90];
static double total(const double *x, int n) {
  double s = 0;
  for (int k = 0; k < n * n; k++)
    s += x[k] * (1 + k % 5);
  return s;
}
#ifdef ROUNDED
#define TELL(f) printf("%s %d %.6g %.6g\n", #f, n, total(a, n), total(b, n));
#else
#define TELL(f) printf("%s %d %016llx %016llx\n", #f, n, (unsigned long long)hash(a, n), (unsigned long long)hash(b, n));
#endif
int main(void) {
#define RUN(f)                                                                                                                                                     \
  {                                                                                                                                                                \
    for (int k = 0; k < n * n; k++) a[k] = number(), b[k] = number() / n;                                                                                          \
    EACH(k, 0, n) a[k * n + k] += n;                                                                                                                               \
    f(n, (void *)a, (void *)b);                                                                                                                                    \
    TELL(f) \
  }
  for (int n = 1; n < 90; n = n < 5 ? n + 1 : n * 2 - 1) {
    RUN(product)
    RUN(scaled)
    RUN(rows)
    RUN(looked_at_first)
    RUN(stored_first)
    RUN(passed_by)
    RUN(elsewhere)
    RUN(first_is_used)
    RUN(late)
    RUN(late_seen)
    RUN(late_stored)
    RUN(late_twice)
    RUN(late_again)
    RUN(sums_apart)
    RUN(sums_meet)
    RUN(sums_read)
  }
}
