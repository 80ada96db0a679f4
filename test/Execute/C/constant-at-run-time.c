// Whether memory has a shadow may be known to the running program only. What is
// written there and read back would lose its derivative: the program ends with a
// message (or is right, where preparation has removed the memory). What is not read back, or overwritten, or has a shadow, is fine.
// RUN: %rgcc -I %root/test/include -O0 -g %s -lm -o %t0 && %t0
// RUN: %rgcc -I %root/test/include -O2 %s -lm -o %t2 && %t2
// RUN: %rgcc -I %root/test/include -O2 -mllvm -rg-plan=naive %s -lm -o %tn && %tn
// RUN: not --crash %t2 1 2>&1 | FileCheck %s
// RUN: not --crash %t2 2 2>&1 | FileCheck %s
// RUN: not --crash %t2 3 2>&1 | FileCheck %s
// RUN: not --crash %t2 4 2>&1 | FileCheck %s
// RUN: not --crash %t2 5 2>&1 | FileCheck %s
// RUN: not --crash %t0 5 2>&1 | FileCheck %s
// CHECK: constant-at-run-time.c:{{[0-9]+}}: in '{{.*}}': error: derivatives flow through memory that has no shadow: what is read here was written at {{.*}}constant-at-run-time.c:{{[0-9]+}}: in '{{.*}}' [RG1105]
// CHECK: note: the memory was reached through an enzyme_const argument or a global pointer; pass it with enzyme_dup and a shadow
#include "rgtest.h"
#include <stdlib.h>
double __enzyme_autodiff(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;

// Which of the two buffers is used is decided here.
__attribute__((noinline)) static double at(const double *p) { return *p; }
static double through(double x, double *c, double *d, int constant) {
  double *p = constant ? c : d;
  p[1] = x * x;
  return at(p + 1) * x;
}
static double otherName(double x, double *c, double *d, int constant) {
  double *p = constant ? c : d;
  p[1] = x * x;
  return at(d + 1) * x;
}
// Written, and read back as something else.
static double written(double x, double *c, double *d, int constant) {
  double *p = constant ? c : d;
  double s = p[0] * x;
  p[0] = x * x;
  p[1] = 5;
  p[2] = x;
  p[2] = 3;
  for (int i = 1; i < 3; ++i)
    s += p[i] * x;
  return s;
}
struct holder {
  double *to;
  double v[2];
};
__attribute__((noinline)) static double target(const struct holder *h) { return *h->to; }
static double pointer(double x, struct holder *c, struct holder *d, int constant) {
  struct holder *h = constant ? c : d;
  double y = x * x;
  h->to = &y;
  return target(h) * x;
}
static double copied(double x, struct holder *c, struct holder *d, int constant) {
  struct holder *h = constant ? c : d, local = {&x, {x, x * x}};
  memcpy(h->v, local.v, sizeof local.v);
  return at(h->v + 1) * x;
}

int main(int argc, char **argv) {
  double x = 1.5, c[3] = {2, 3, 4}, d[3] = {2, 3, 4}, dd[3] = {0};
  struct holder a = {0}, b = {0}, db = {0};
  switch (argc > 1 ? atoi(argv[1]) : 0) {
  case 1:
    return __enzyme_autodiff((void *)through, x, enzyme_const, c, enzyme_dup, d, dd, 1) > 0;
  case 2:
    return __enzyme_fwddiff((void *)through, x, 1.0, enzyme_const, c, enzyme_dup, d, dd, 1) > 0;
  case 3:
    return __enzyme_autodiff((void *)pointer, x, enzyme_const, &a, enzyme_dup, &b, &db, 1) > 0;
  case 4:
    return __enzyme_autodiff((void *)copied, x, enzyme_const, &a, enzyme_dup, &b, &db, 1) > 0;
  case 5: // written by one name, read by the other
    return __enzyme_autodiff((void *)otherName, x, enzyme_const, d, enzyme_dup, d, dd, 1) > 0;
  }
  RG_NEAR(__enzyme_autodiff((void *)through, x, enzyme_const, c, enzyme_dup, d, dd, 0), 3 * x * x);
  RG_NEAR(__enzyme_fwddiff((void *)through, x, 1.0, enzyme_const, c, enzyme_dup, d, dd, 0), 3 * x * x);
  for (int constant = 0; constant < 2; ++constant)
    for (int again = 0; again < 2; ++again) {
      c[0] = d[0] = 2;
      memset(dd, 0, sizeof dd);
      RG_NEAR(__enzyme_autodiff((void *)written, x, enzyme_const, c, enzyme_dup, d, dd, constant), 10);
      c[0] = d[0] = 2;
      memset(dd, 0, sizeof dd);
      RG_NEAR(__enzyme_fwddiff((void *)written, x, 1.0, enzyme_const, c, enzyme_dup, d, dd, constant), 10);
    }
  RG_NEAR(__enzyme_autodiff((void *)pointer, x, enzyme_const, &a, enzyme_dup, &b, &db, 0), 3 * x * x);
  memset(&db, 0, sizeof db);
  RG_NEAR(__enzyme_autodiff((void *)copied, x, enzyme_const, &a, enzyme_dup, &b, &db, 0), 3 * x * x);
  return rgReport();
}
