// Tangents that are zero all at once are not multiplied (lib/Polish/ZeroTangents.cpp). That it is right is tested in Execute/C/zero-tangents.c.
// RUN: %rgcc -O2 -fno-discard-value-names -S -emit-llvm -mllvm -rg-print-after=zero-tangents %s -o /dev/null 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -S -emit-llvm -mllvm -rg-print-after=zero-tangents -mllvm -rg-disable=zero-tangents %s -o /dev/null 2>&1 | count 0
#include <stdlib.h>
typedef struct {
  double lane[4];
} Four;
Four __enzyme_fwddiff_four(void *, ...);
double __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const, enzyme_width;

// How many numbers from each on have no tangents is counted backwards, once.
// CHECK-LABEL: define internal {{.*}}@rg.turns.fwd4
// CHECK: %rg.zeros = alloca [2048 x i8]
// CHECK: rg.zeros.look:
// CHECK: fcmp oeq <4 x double>
// CHECK: call i8 @llvm.uadd.sat.i8
// Six numbers are read: five more than the first one.
// CHECK: icmp ugt i8 %{{[^ ,]+}}, 5
// CHECK-NEXT: br i1 %{{[^,]+}}, label %rg.zeros{{[0-9]*}}, label %rg.zeros.not
// CHECK: rg.zeros.not:
// CHECK: fmul contract <4 x double>
// CHECK: rg.zeros{{[0-9]*}}:
// CHECK: fcmp ord double
// CHECK: rg.zeros.behind:
// CHECK: phi <4 x double>
// CHECK: {{^}}}
__attribute__((noinline)) static double turns(const double *x, const int *pick, const double *at, int entries, int turns) {
  double *m = malloc(entries * 6 * sizeof *m), sum = 0;
  for (int i = 0; i < entries * 6; ++i)
    m[i] = x[i] * x[i];
  for (int t = 0; t < turns; ++t) {
    const double *q = m + 6 * pick[t];
    sum += at[2 * t] * (q[0] + q[1] * at[2 * t + 1] + q[2]) + at[2 * t] * (q[3] + q[4] * at[2 * t + 1] + q[5]);
  }
  free(m);
  return sum;
}
// Not with one tangent.
// CHECK-NOT: define
Four all(const double *x, double *d[4], const int *pick, const double *at, int n) {
  Four f = __enzyme_fwddiff_four((void *)turns, enzyme_width, 4, enzyme_dup, x, d[0], d[1], d[2], d[3], enzyme_const, pick, enzyme_const,
                                 at, enzyme_const, n, enzyme_const, n);
  f.lane[0] += __enzyme_fwddiff((void *)turns, enzyme_dup, x, d[0], enzyme_const, pick, enzyme_const, at, enzyme_const, n, enzyme_const, n);
  return f;
}
