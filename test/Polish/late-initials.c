// The adjoint of a product that one branch computes is set to -0.0 in the
// reverse of that branch, and not where its variable is made. That of `s`, which
// a loop adds up, is set once, before the loop of the reverse sweep. That of `u`
// is -0.0 again whenever an iteration begins: it is set in each, where it is not
// carried around the loop.
//
// RUN: %rgcc -O2 -fno-discard-value-names %s -c -o /dev/null \
// RUN:   -mllvm -rg-print-after=late-initials 2>&1 | FileCheck %s
// RUN: %rgcc -O0 %s -o %t -lm && %t
// RUN: %rgcc -O2 %s -o %t -lm && %t
// RUN: %rgcc -O2 %s -mllvm -rg-disable=late-initials -o %t -lm && %t
// RUN: %rgcc -O2 %s -mllvm -rg-plan=naive -o %t -lm && %t
//
// CHECK-LABEL: define {{.*}} @rg.f.grad
// CHECK: %mul.adj = alloca double
// CHECK-NOT: store double -0.000000e+00, ptr %mul.adj
// CHECK: rev.if.then:
// CHECK: store double -0.000000e+00, ptr %mul.adj
// CHECK: load double, ptr %mul.adj
// CHECK: rev.for.body:
// CHECK-NOT: store double -0.000000e+00, ptr %s.118.adj
// CHECK: load double, ptr %call6.adj
// CHECK-LABEL: define {{.*}} @rg.inside.grad
// CHECK: rev.if.end:
// CHECK: store double -0.000000e+00, ptr %call.adj
// CHECK-NEXT: load double, ptr %call.adj
#include <math.h>
#include <stdio.h>
extern int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

__attribute__((noinline)) static double f(const double *x, int n) {
  double s = 1;
  if (x[0] > 0) {
    double t = sin(x[0]) * x[1];
    s = t * t + exp(t);
  }
  for (int i = 0; i < n; ++i)
    s = sin(s) * x[i];
  return s;
}

__attribute__((noinline)) static double inside(const double *x, int n) {
  double s = 1;
  for (int i = 0; i < n; ++i) {
    double u = sin(x[i] + s);
    if (u > 0.5)
      s += exp(u) * x[0];
    s = cos(s * u);
  }
  return s;
}

static int differs(double (*f)(const double *, int), const double *g,
                   double *x) {
  for (int i = 0; i < 4; ++i) {
    const double h = 1e-6, was = x[i];
    x[i] = was + h;
    double up = f(x, 4);
    x[i] = was - h;
    double down = f(x, 4);
    x[i] = was;
    if (fabs(g[i] - (up - down) / (2 * h)) > 1e-7) {
      printf("x[%d]: %.10g, differences %.10g\n", i, g[i],
             (up - down) / (2 * h));
      return 1;
    }
  }
  return 0;
}

int main(void) {
  for (int sign = -1; sign < 2; sign += 2) {
    double x[4] = {0.7 * sign, 0.9, 1.3, 1.1}, g[4] = {0};
    __enzyme_autodiff((void *)f, enzyme_dup, x, g, enzyme_const, 4);
    if (differs(f, g, x))
      return 1;
    double k[4] = {0};
    __enzyme_autodiff((void *)inside, enzyme_dup, x, k, enzyme_const, 4);
    if (differs(inside, k, x))
      return 1;
  }
  return 0;
}
