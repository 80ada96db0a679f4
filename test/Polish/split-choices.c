// The nearest of several, of which the reverse sweep needs to know which it was: the choice between numbers has the
// comparison to itself, so that it is a minimum.
// RUN: %rgcc -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rgcc -O2 -S -emit-llvm %s -o - -mllvm -rg-disable=split-choices | FileCheck %s --check-prefix=SHARED
// CHECK-LABEL: define internal void @rg.nearest.grad
// CHECK: %[[LESS:.*]] = fcmp olt double %[[D:.*]], %[[LEAST:.*]]
// CHECK: %[[MINIMUM:.*]] = select i1 %[[LESS]], double %[[D]], double %[[LEAST]]
// CHECK: select i1 %{{.*}}, double %[[D]], double %[[MINIMUM]]
// CHECK: select i1 %{{.*}}, i64
// SHARED-LABEL: define internal void @rg.nearest.grad
// SHARED: %[[BETTER:.*]] = {{select i1 .* i1 true|or i1}}
// SHARED-COUNT-2: select i1 %[[BETTER]]
void __enzyme_autodiff(void *, ...);
extern int enzyme_const;

static double nearest(const double *at, const double *points, int n, int dims) {
  double least = 0;
  for (int i = 0; i < n; ++i) {
    double d = 0;
    for (int k = 0; k < dims; ++k) {
      double by = points[i * dims + k] - at[k];
      d += by * by;
    }
    if (i == 0 || d < least)
      least = d;
  }
  return least;
}
void gradient(const double *at, double *dat, const double *points, int n, int dims) {
  __enzyme_autodiff((void *)nearest, at, dat, enzyme_const, points, enzyme_const, n, enzyme_const, dims);
}
