// A function that moves bytes of its caller's has a body per call, since only the caller knows what they are. Calls that
// work on the same memory, as those of an unrolled loop do, share one: the caller does not grow by all of them.
// RUN: %rgcc -O2 -I%root/test/include -c %s -o %t.o -mllvm -rg-print-primal 2>&1 | FileCheck %s
// RUN: %rgcc -O0 -I%root/test/include %s -o %t -lm && %t
// RUN: %rgcc -O2 -I%root/test/include %s -o %t -lm && %t
// RUN: %rgcc -O2 -mllvm -rg-plan=naive -I%root/test/include %s -o %t -lm && %t

// CHECK: define internal double @rg.primal.sameMemory(
// CHECK-COUNT-12: call fastcc void @move(ptr
// CHECK-NOT: call fastcc
// CHECK: {{^}$}}
// CHECK-NOT: rg.copy
// CHECK: define internal double @rg.primal.otherMemory(
// CHECK: call fastcc void @move(ptr
// CHECK-NEXT: call fastcc void @move.rg.copy(ptr
// CHECK: {{^}$}}
// CHECK: @rg.primal.move.rg.copy(
// CHECK-NOT: rg.copy.
#include "rgtest.h"
#include <math.h>
#include <string.h>

double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;

enum { N = 6 };

#define TERM(K) s += sin(v[(K) % N] * (1 + 0.01 * (K)));
#define TERMS(K) TERM(K) TERM(K + 1) TERM(K + 2) TERM(K + 3) TERM(K + 4) TERM(K + 5) TERM(K + 6) TERM(K + 7)

// Too large to become part of its caller twelve times.
static void move(double *v, int n) {
  double old[N], s = 0;
  memcpy(old, v, n * sizeof *v);
  TERMS(0) TERMS(8) TERMS(16) TERMS(24) TERMS(32) TERMS(40) TERMS(48) TERMS(56)
  TERMS(64) TERMS(72) TERMS(80) TERMS(88) TERMS(96) TERMS(104) TERMS(112) TERMS(120)
  for (int i = 0; i < n; ++i)
    v[i] = old[(i + 1) % n] + 0.01 * s * old[i];
}

static double sameMemory(const double *x, int n) {
  double v[N];
  memcpy(v, x, sizeof v);
  for (int i = 0; i < 12; ++i)
    move(v, n);
  return v[0] * v[1] + v[2];
}

static double otherMemory(const double *x, int n) {
  double v[N], w[N];
  memcpy(v, x, sizeof v);
  memcpy(w, x, sizeof w);
  for (int i = 0; i < 12; ++i) {
    move(v, n);
    move(w, n);
  }
  return v[0] * w[1] + v[2];
}

static void check(double (*f)(const double *, int), double *d, double along) {
  double x[N], v[N], sum = 0;
  for (int i = 0; i < N; ++i)
    x[i] = 0.2 + 0.1 * i, v[i] = 1 - 0.2 * i;
  for (int i = 0; i < N; ++i) {
    RG_GRAD(d[i], f(x, N), x[i]);
    sum += d[i] * v[i];
  }
  RG_NEAR(along, sum);
}

int main(void) {
  double x[N], v[N], d[N] = {0}, e[N] = {0};
  for (int i = 0; i < N; ++i)
    x[i] = 0.2 + 0.1 * i, v[i] = 1 - 0.2 * i;
  __enzyme_autodiff((void *)sameMemory, enzyme_dup, x, d, enzyme_const, N);
  check(sameMemory, d, __enzyme_fwddiff((void *)sameMemory, enzyme_dup, x, v, enzyme_const, N));
  __enzyme_autodiff((void *)otherMemory, enzyme_dup, x, e, enzyme_const, N);
  check(otherMemory, e, __enzyme_fwddiff((void *)otherMemory, enzyme_dup, x, v, enzyme_const, N));
  return rgReport();
}
