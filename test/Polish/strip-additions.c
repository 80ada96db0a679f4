// Which reverses run in strips (lib/Polish/StripAdditions.cpp). That they are right is tested in Execute/C/stencils.c.
// RUN: %rgcc -O2 -fno-discard-value-names -S -emit-llvm -mllvm -rg-disable=peel-last %s -o %t.ll && FileCheck %s < %t.ll
// RUN: %rgcc -O2 -fno-discard-value-names -S -emit-llvm -mllvm -rg-disable=strip-additions %s -o - | FileCheck %s --check-prefix=OFF
// RUN: %rgcc -O2 -fno-discard-value-names -S -emit-llvm -mllvm -rg-disable=reorder-sums %s -o - | FileCheck %s --check-prefix=OFF
// RUN: %rgcc -O3 -march=x86-64-v3 -fno-math-errno -Rpass=loop-vectorize -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=VECTOR
// RUN: %rgcc -O3 -march=x86-64-v4 -mprefer-vector-width=512 -fno-math-errno -Rpass=loop-vectorize -c %s -o /dev/null 2>&1 | FileCheck %s --check-prefix=HALF
// OFF-NOT: {{rg.strip|rg.gather}}
void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

// What is added can be read again: one loop over places, and none over iterations but for what is taken.
// CHECK-LABEL: define internal {{.*}}@rg.points.grad
// CHECK-NOT: rg.strip.compute
// CHECK: rg.gather.add
// CHECK: rg.gather.take
static void points(const double *restrict u, double *restrict v, int n) {
  for (int i = 1; i < n - 1; ++i)
    v[i] = u[i] * u[i] + u[i - 1] * u[i + 1];
}
// A place that is the same in all iterations: buffers.
// CHECK-LABEL: define internal {{.*}}@rg.scaled.grad
// CHECK: rg.strip.compute
// CHECK: rg.strip.add
static void scaled(const double *restrict u, double *restrict v, const double *restrict k, int n) {
  for (int i = 1; i < n - 1; ++i)
    v[i] = *k * (u[i - 1] + u[i + 1]);
}
// Divisions are not done again for each place.
// CHECK-LABEL: define internal {{.*}}@rg.quotient.grad
// CHECK-NOT: rg.gather
// CHECK: rg.strip.add
static void quotient(const double *restrict u, double *restrict v, const double *restrict w, int n) {
  for (int i = 1; i < n - 1; ++i)
    v[i] = (u[i - 1] + u[i + 1]) / w[i];
}
// The pointers may lead to one array: compared when the loop is entered. And a ring.
// CHECK-LABEL: define internal {{.*}}@rg.ring.grad
// CHECK: rg.strip.compute
static void ring(const double *u, double *v, int n) {
  for (int i = 0; i < n; ++i)
    v[i] = u[i] * u[i == 0 ? n - 1 : i - 1] + u[i == n - 1 ? 0 : i + 1];
}
// In place: what is added is read by the next iteration.
// CHECK-LABEL: define internal {{.*}}@rg.inPlace.grad
// CHECK-NOT: rg.strip
// CHECK: {{^}}}
static void inPlace(double *u, double *v, int n) {
  for (int i = 1; i < n - 1; ++i)
    u[i] = 0.5 * u[i - 1] + u[i] * u[i + 1];
}
// One place for each iteration: the vectoriser's own business.
// CHECK-LABEL: define internal {{.*}}@rg.one.grad
// CHECK-NOT: rg.strip
// CHECK: {{^}}}
static void one(const double *u, double *v, int n) {
  for (int i = 1; i < n - 1; ++i)
    v[i] = u[i] * u[i];
}

// One array in both directions: iterations meet in the middle, wherever that is. Additions of each direction by themselves.
// CHECK-LABEL: define internal {{.*}}@rg.mirrored.grad
// CHECK: rg.strip.compute
// CHECK-COUNT-2: {{^}}rg.strip.add{{[0-9]*}}:
static void mirrored(const double *restrict u, double *restrict v, double a, int n) {
  for (int i = 0; i < n; ++i)
    v[i] = u[i] + a * u[n - 1 - i];
}
// Two arrays, each in its own direction, do not meet.
// CHECK-LABEL: define internal {{.*}}@rg.apart.grad
// CHECK-NOT: rg.strip
// CHECK: {{^}}}
static void apart(const double *restrict u, double *restrict v, const double *restrict w, int n) {
  for (int i = 0; i < n; ++i)
    v[i] = u[i] + w[n - 1 - i];
}

// VECTOR-COUNT-10: vectorized loop
// Those with buffers, in half vectors.
// HALF-COUNT-6: {{^}}remark: vectorized loop (vectorization width: 4, interleaved count: 1)
void all(double *u, double *du, double *v, double *dv, double *w, double *dw, int n) {
  __enzyme_autodiff((void *)points, enzyme_dup, u, du, enzyme_dup, v, dv, enzyme_const, n);
  __enzyme_autodiff((void *)scaled, enzyme_dup, u, du, enzyme_dup, v, dv, enzyme_dup, w, dw, enzyme_const, n);
  __enzyme_autodiff((void *)quotient, enzyme_dup, u, du, enzyme_dup, v, dv, enzyme_const, w, enzyme_const, n);
  __enzyme_autodiff((void *)ring, enzyme_dup, u, du, enzyme_dup, v, dv, enzyme_const, n);
  __enzyme_autodiff((void *)inPlace, enzyme_dup, u, du, enzyme_dup, v, dv, enzyme_const, n);
  __enzyme_autodiff((void *)one, enzyme_dup, u, du, enzyme_dup, v, dv, enzyme_const, n);
  __enzyme_autodiff((void *)mirrored, enzyme_dup, u, du, enzyme_dup, v, dv, 0.3, enzyme_const, n);
  __enzyme_autodiff((void *)apart, enzyme_dup, u, du, enzyme_dup, v, dv, enzyme_dup, w, dw, enzyme_const, n);
}
