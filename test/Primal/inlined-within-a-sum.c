// A function of middle size becomes part of its callers while all of its calls together stay small.
// RUN: %rgcc -O2 -I%root/test/include -c %s -o %t.o -mllvm -rg-print-primal 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -I%root/test/include %s -o %t -lm && %t
// RUN: %rgcc -O0 -I%root/test/include %s -o %t -lm && %t

// CHECK: define internal double @rg.primal.many(
// CHECK-COUNT-24: call {{.*}}double @wave(
// CHECK: {{^}$}}
// CHECK: define internal double @rg.primal.few(
// CHECK-NOT: @ripple(
// CHECK: {{^}$}}
#include "rgtest.h"
#include <math.h>

double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup;

#define TERM(K) s += sin(x * (1 + 0.01 * (K))) * (y + (K));
#define TERMS(K) TERM(K) TERM(K + 1) TERM(K + 2) TERM(K + 3) TERM(K + 4) TERM(K + 5) TERM(K + 6) TERM(K + 7)

static double wave(double x, double y) {
  double s = 0;
  TERMS(0) TERMS(8) TERMS(16)
  return s;
}
static double ripple(double x, double y) {
  double s = 0;
  TERMS(1) TERMS(9) TERMS(17)
  return s;
}

#define FOUR(K) wave(x[0], K * x[1]) + wave(x[1], K * x[2]) * wave(x[2], x[0] + K) + wave(x[0] * x[1], K)
static double many(const double *x) { return FOUR(1) + FOUR(2) + FOUR(3) + FOUR(4) + FOUR(5) + FOUR(6); }
static double few(const double *x) { return ripple(x[0], x[1]) * ripple(x[1], x[2]) + ripple(x[2], x[0]); }

static void check(double (*f)(const double *), const double *d, double along) {
  double x[3] = {0.3, 0.5, 0.7}, sum = 0;
  for (int i = 0; i < 3; ++i) {
    RG_GRAD(d[i], f(x), x[i]);
    sum += d[i] * (1 + i);
  }
  RG_NEAR(along, sum);
}

int main(void) {
  double x[3] = {0.3, 0.5, 0.7}, v[3] = {1, 2, 3}, d[3] = {0}, e[3] = {0};
  __enzyme_autodiff((void *)many, enzyme_dup, x, d);
  check(many, d, __enzyme_fwddiff((void *)many, enzyme_dup, x, v));
  __enzyme_autodiff((void *)few, enzyme_dup, x, e);
  check(few, e, __enzyme_fwddiff((void *)few, enzyme_dup, x, v));
  return rgReport();
}
