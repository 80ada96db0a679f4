// Arrays that a nest reads and leaves alone are kept as a whole, in front of it (lib/Plan/Snapshots.cpp). test/Execute/C/snapshots.c asks whether it is right.
// RUN: %rgcc -O2 -fno-discard-value-names -c %s -o /dev/null -mllvm -rg-print-plan 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -fno-discard-value-names -c %s -o /dev/null -mllvm -rg-print-plan -mllvm -rg-disable=snapshots 2>&1 | FileCheck --check-prefix=OFF %s
// RUN: %rgcc -O2 -fno-discard-value-names -c %s -o /dev/null -mllvm -rg-print-plan -mllvm -rg-plan=naive 2>&1 | FileCheck --check-prefix=OFF %s
// RUN: %rgcc -O2 -fsanitize=address -fno-discard-value-names -c %s -o /dev/null -mllvm -rg-print-plan 2>&1 | FileCheck --check-prefix=OFF %s
// OFF-NOT: array read by
#include <stdlib.h>
int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);
#define GRADIENT(f) void f##_gradient(long n, long m, void *a, void *da) { __enzyme_autodiff((void *)f, enzyme_const, n, enzyme_const, m, enzyme_dup, a, da); }
#define EACH(i, from, to) for (long i = (from); i < (to); i++)
#define AROUND(u) (u[(i - 1) * n + j] + u[(i + 1) * n + j] + u[i * n + j - 1] + u[i * n + j + 1])

// Two numbers for each cell, or the array.
// CHECK-LABEL: plan for rg.primal.diffuse
// CHECK: ptr array read by %[[U:[0-9]+]]
// CHECK-NOT: over all
static void diffuse(long n, long m, double *a) {
  double *u = malloc(n * n * sizeof(double)), *k = malloc(n * n * sizeof(double));
  EACH(i, 0, n * n) u[i] = a[i], k[i] = 0;
  EACH(s, 0, m) {
    EACH(i, 1, n - 1) EACH(j, 1, n - 1) k[i * n + j] = a[0] * AROUND(u) + a[1] * u[i * n + j] * u[i * n + j];
    EACH(i, 0, n * n) u[i] += k[i];
  }
  EACH(i, 0, n * n) a[i] = u[i];
  free(u);
  free(k);
}
GRADIENT(diffuse)

// One number for each cell: nothing is gained.
// CHECK-LABEL: plan for rg.primal.once
// CHECK-NOT: array read by
static void once(long n, long m, double *a) {
  double *u = malloc(n * n * sizeof(double)), *k = malloc(n * n * sizeof(double));
  EACH(i, 0, n * n) u[i] = a[i], k[i] = 0;
  EACH(s, 0, m) {
    EACH(i, 1, n - 1) EACH(j, 1, n - 1) k[i * n + j] = a[0] * AROUND(u);
    EACH(i, 0, n * n) u[i] += k[i];
  }
  EACH(i, 0, n * n) a[i] = u[i];
  free(u);
  free(k);
}
GRADIENT(once)

// The nest writes what it reads.
// CHECK-LABEL: plan for rg.primal.in_place
// CHECK-NOT: array read by
static void in_place(long n, long m, double *a) {
  double *u = malloc(n * n * sizeof(double));
  EACH(i, 0, n * n) u[i] = a[i];
  EACH(s, 0, m) EACH(i, 1, n - 1) EACH(j, 1, n - 1) u[i * n + j] = a[0] * AROUND(u) + a[1] * u[i * n + j] * u[i * n + j];
  EACH(i, 0, n * n) a[i] = u[i];
  free(u);
}
GRADIENT(in_place)

// How long the array is has nothing to do with how much of it is read.
// CHECK-LABEL: plan for rg.primal.part
// CHECK-NOT: array read by
static void part(long n, long m, double *a) {
  double *u = malloc(m * sizeof(double)), *k = malloc(n * n * sizeof(double));
  EACH(i, 0, m) u[i] = a[i];
  EACH(i, 0, n * n) k[i] = 0;
  EACH(s, 0, 1000) {
    EACH(i, 1, n - 1) EACH(j, 1, n - 1) k[i * n + j] = a[0] * AROUND(u) + a[1] * u[i * n + j] * u[i * n + j];
    EACH(i, 0, n * n) u[i] += k[i];
  }
  EACH(i, 0, m) a[i] = u[i];
  free(u);
  free(k);
}
GRADIENT(part)
