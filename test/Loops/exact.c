// Nests in another order compute the same, bit for bit: nothing here may be added in another order. fuzz/loops.py does this for random nests.
// REQUIRES: loop-nests
// RUN: %clang -O1 -ffp-contract=off %s -lm -o %t.plain
// RUN: %rgcc -O2 -ffp-contract=off -mllvm -rg-loops -mllvm -rg-verify-each -Rpass=rg-loops %s -lm -o %t.loops 2>%t.told
// RUN: %rgcc -O3 -march=native -ffp-contract=off -mllvm -rg-loops %s -lm -o %t.native
// RUN: %t.plain >%t.1
// RUN: %t.loops >%t.2
// RUN: %t.native >%t.3
// RUN: cmp %t.1 %t.2
// RUN: cmp %t.1 %t.3
// RUN: FileCheck %s --input-file=%t.told
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { N = 72 };
#define KERNEL __attribute__((noinline)) void

// CHECK-DAG: exact.c:[[#@LINE+2]]:{{.*}}loop nest:
KERNEL transposed(int n, double *a, double *b, int lda) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      a[i * lda + j] = a[i * lda + j] * 1.25 + b[i * lda + j];
}
KERNEL below(int n, double *a, double *b, int lda) { // in place, rows carry
  for (int j = 0; j < n; j++)
    for (int i = 1; i < n; i++)
      a[i * lda + j] = a[(i - 1) * lda + j] * 0.5 + b[i * lda + j];
}
KERNEL diagonal(int n, double *a, double *b, int lda) { // must not be interchanged
  for (int j = 1; j < n; j++)
    for (int i = 0; i < n - 1; i++)
      a[i * lda + j] = a[(i + 1) * lda + j - 1] * 0.5 + b[j];
}
KERNEL triangle(int n, double *a, double *b, int lda) {
  for (int j = 0; j < n; j++)
    for (int i = j; i < n; i++)
      if (i != j + 3)
        a[i * lda + j] -= b[j * lda + i];
}
KERNEL backwards(int n, double *a, double *b, int lda) {
  for (int j = n - 1; j >= 0; j -= 3)
    for (int i = n - 1; i > j; i--)
      a[i * lda + j] = b[i * lda + j] + j;
}
KERNEL product(int n, double *a, double *b, int lda) { // sums keep their order
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++)
        sum += b[i * lda + k] * b[k * lda + j];
      a[i * lda + j] = sum;
    }
}
KERNEL unsigned_counters(unsigned n, double *a, double *b, unsigned lda) {
  for (unsigned j = 0; j < n; j++)
    for (unsigned i = j; i < n; i += 2)
      a[i * lda + j] += b[i * lda + j];
}
KERNEL fixed(int n, double a[][N], double b[][N]) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      a[i][j] += b[j][i];
}
KERNEL three(int n, double *a, double *b, int lda) {
  for (int k = 1; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = k; i < n; i++)
        a[i * lda + j] = a[(i - k) * lda + j] + b[k];
}
KERNEL two_statements(int n, double *a, double *b, int lda) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) {
      b[j * lda + i] = i - j;
      a[i * lda + j] += b[j * lda + i];
    }
}
// LLVM carries the sums from iteration to iteration; memory has them, too, unless b is a.
KERNEL sums_in_memory(int n, double *a, double *b, int lda) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      a[i * lda + j] *= 0.75;
      for (int k = 0; k < n; k++)
        a[i * lda + j] += b[i * lda + k] * b[k * lda + j];
    }
}
KERNEL solved(int n, double *a, double *b, int lda) { // what is behind the sum needs it, and may stand where the loop is not entered
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < i; k++)
        a[i * lda + j] -= b[i * lda + k] * a[k * lda + j];
      a[i * lda + j] *= 1 / (1 + b[i * lda + i] * b[i * lda + i]);
    }
}
KERNEL overwritten(int n, double *a, double *b, int lda) { // the sum's place is written on the way: memory does not have it
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = a[i * lda + j];
      for (int k = 0; k < n; k++) {
        a[i * lda + k] = b[k * lda + j];
        sum += b[i * lda + k] * b[k * lda + j];
        a[i * lda + j] = sum;
      }
    }
}
// s is stored in each iteration, but its place is written once more behind that: what is behind the loop does not find it there.
KERNEL late(int n, double *a, double *b, int lda) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0;
      for (int k = 0; k <= j; k++) {
        s = a[i * lda + j] + b[i * lda + k] * 0.5;
        a[i * lda + j] = s;
        a[i * lda + k] = b[k * lda + j];
      }
      a[i * lda + j] = s * 0.5;
    }
}
KERNEL filtered(int n, double *a, double *b, int lda) { // numbers that a loop carries change at once; columns in strips
  for (int j = 0; j < n; j++) {
    double y1 = 0, y2 = 0, x1 = 0;
    for (int i = 0; i < n; i++) {
      double y = a[i * lda + j] * 0.5 + x1 * 0.25 + y1 * 0.125 - y2 * 0.0625;
      x1 = a[i * lda + j];
      y2 = y1;
      y1 = y;
      b[i * lda + j] = y;
    }
  }
}
KERNEL swapped(int n, double *a, double *b, int lda) { // they change places: no order of cells does that
  for (int j = 0; j < n; j++) {
    double x = a[j], y = b[j];
    for (int i = 0; i < n; i++) {
      a[i * lda + j] += x;
      double t = x;
      x = y;
      y = t;
    }
  }
}

static uint64_t state;
static double next(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)(state >> 20) / 1e12;
}
static double memory[4 * N * N];

int main(void) {
  const int sizes[] = {0, 1, 2, 3, 5, 17, N};
  // Apart, the same, overlapping by rows, by an element, and from the other side.
  const long offsets[] = {2 * N * N, 0, 3 * N, 1, -1, -N, N * N - 1};
  for (unsigned s = 0; s != sizeof sizes / sizeof *sizes; ++s)
    for (unsigned o = 0; o != sizeof offsets / sizeof *offsets; ++o)
      for (int which = 0; which != 16; ++which)
        for (int lda = sizes[s]; lda <= N; lda += lda < N ? N - lda : 1) {
          state = 1 + which;
          for (unsigned k = 0; k != sizeof memory / sizeof *memory; ++k)
            memory[k] = next();
          double *a = memory + N * N, *b = a + offsets[o];
          int n = sizes[s];
          switch (which) {
          case 0: transposed(n, a, b, lda); break;
          case 1: below(n, a, b, lda); break;
          case 2: diagonal(n, a, b, lda); break;
          case 3: triangle(n, a, b, lda); break;
          case 4: backwards(n, a, b, lda); break;
          case 5: product(n, a, b, lda); break;
          case 6: unsigned_counters(n, a, b, lda); break;
          case 7: fixed(n, (void *)a, (void *)b); break;
          case 8: three(n, a, b, lda); break;
          case 9: two_statements(n, a, b, lda); break;
          case 10: sums_in_memory(n, a, b, lda); break;
          case 11: solved(n, a, b, lda); break;
          case 12: overwritten(n, a, b, lda); break;
          case 13: late(n, a, b, lda); break;
          case 14: filtered(n, a, b, lda); break;
          case 15: swapped(n, a, b, lda); break;
          }
          uint64_t hash = 0;
          for (unsigned k = 0; k != sizeof memory / sizeof *memory; ++k) {
            uint64_t bits;
            memcpy(&bits, &memory[k], sizeof bits);
            hash = (hash ^ bits) * 1099511628211u + (hash >> 29);
          }
          printf("%d n %d lda %d offset %ld: %016llx\n", which, n, lda, offsets[o], (unsigned long long)hash);
        }
  return 0;
}
