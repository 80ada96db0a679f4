// What a called function reads is kept on the tape only if something may overwrite it before the call is reversed (lib/Analysis/LaterWrites.h). test/Execute/C/later-writes.c asks whether it is right.
// RUN: %rgcc -O2 -fno-discard-value-names -c %s -o /dev/null -mllvm -rg-print-overwrite -mllvm -rg-print-plan 2>&1 | FileCheck %s
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double sin(double);

// CHECK-LABEL: overwrite in rg.primal.table (split):
// CHECK: repeatable {{.*}} load i32
// CHECK-LABEL: plan for rg.primal.table (split):
// CHECK-NOT: i32 %{{[0-9]+$}}
// CHECK: need
__attribute__((noinline)) static void table(double *a, const int *at, int n) {
  for (int i = 0; i < n; i++)
    a[at[i]] = sin(a[i]);
}
// Filled once, freed at the end: it is read again.
static double once(double x, int n) {
  double *a = malloc(n * sizeof *a), s = 0;
  int *at = malloc(n * sizeof *at);
  for (int i = 0; i < n; i++)
    a[i] = i * x, at[i] = i * 7 % n;
  for (int k = 0; k < 10; k++)
    table(a, at, n);
  for (int i = 0; i < n; i++)
    s += a[i];
  free(a);
  free(at);
  return s;
}
double onceGradient(double x, int n) { return __enzyme_autodiff((void *)once, x, n); }

// CHECK-LABEL: overwrite in rg.primal.moving (split):
// CHECK: overwritten {{.*}} load i32
// CHECK-NEXT: may change in its callers before it is reversed
__attribute__((noinline)) static void moving(double *a, const int *at, int n) {
  for (int i = 0; i < n; i++)
    a[at[i]] = sin(a[i]);
}
static double eachRound(double x, int n) {
  double *a = malloc(n * sizeof *a), s = 0;
  int *at = malloc(n * sizeof *at);
  for (int i = 0; i < n; i++)
    a[i] = i * x, at[i] = i * 7 % n;
  for (int k = 0; k < 10; k++) {
    moving(a, at, n);
    at[k % n] = k % n;
  }
  for (int i = 0; i < n; i++)
    s += a[i];
  free(a);
  free(at);
  return s;
}
double eachRoundGradient(double x, int n) { return __enzyme_autodiff((void *)eachRound, x, n); }
