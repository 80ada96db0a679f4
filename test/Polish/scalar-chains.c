// Where an iteration waits for several numbers of the one before, LLVM's SLP vectoriser, whose shuffles it would wait for, too, passes
// the derivative over (lib/Polish/ScalarChains.cpp).
// RUN: %rgcc -O3 -march=x86-64-v3 -fno-math-errno -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rgcc -O3 -march=x86-64-v3 -fno-math-errno -S -emit-llvm -mllvm -rg-disable=scalar-chains %s -o - | FileCheck %s --check-prefix=OFF
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;
#define H 0.001

static inline void rate(const double *p, const double *x, double *r) {
  r[0] = p[0] * (x[1] - x[0]);
  r[1] = p[1] * x[0] - x[1] - x[0] * x[2];
  r[2] = x[0] * x[1] - p[2] * x[2];
}

// A step of Euler's: 4 operations from one adjoint to the next, and few beside them.
// CHECK-LABEL: define internal {{.*}}@rg.euler.grad
// CHECK-SAME: #[[EULER:[0-9]+]]
// CHECK-NOT: <2 x double>
// CHECK: {{^}}}
// OFF-LABEL: define internal {{.*}}@rg.euler.grad
// OFF: <2 x double>
// OFF: {{^}}}
static double euler(const double *p, const double *start, int n) {
  double x[3] = {start[0], start[1], start[2]}, k[3];
  for (int i = 0; i < n; ++i) {
    rate(p, x, k);
    for (int c = 0; c < 3; ++c)
      x[c] += H * k[c];
  }
  return x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
}
// The same with more to do in an iteration than to wait.
// CHECK-LABEL: define internal {{.*}}@rg.forced.grad
// CHECK-SAME: #[[OTHER:[0-9]+]]
// CHECK: {{^}}}
static double forced(const double *p, const double *start, int n) {
  double x = start[0], y = start[1];
  for (int i = 0; i < n; ++i) {
    double force = 0;
    for (int c = 0; c < 24; ++c)
      force += p[c] * (1 + 0.1 * c * i);
    double k = y + force, l = p[0] * x - y;
    x += H * k;
    y += H * l;
  }
  return x * y;
}
// Numbers side by side, which do not depend on each other, are packed without shuffles.
// CHECK-LABEL: define internal {{.*}}@rg.sideBySide.grad
// CHECK-SAME: #[[OTHER]]
static double sideBySide(const double *p, const double *start, int n) {
  double x = start[0], y = start[1];
  for (int i = 0; i < n; ++i) {
    x = p[0] * x * x + 0.1;
    y = p[0] * y * y + 0.1;
  }
  return x * y;
}
// CHECK: attributes #[[EULER]] = {{.*}}"rg-scalar-chains"
// CHECK-NOT: "rg-scalar-chains"
void all(const double *p, double *dp, const double *x, double *dx, int n) {
  __enzyme_autodiff((void *)euler, enzyme_dup, p, dp, enzyme_dup, x, dx, enzyme_const, n);
  __enzyme_autodiff((void *)forced, enzyme_dup, p, dp, enzyme_dup, x, dx, enzyme_const, n);
  __enzyme_autodiff((void *)sideBySide, enzyme_dup, p, dp, enzyme_dup, x, dx, enzyme_const, n);
}
