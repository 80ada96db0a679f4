// Of a search for the nearest few, what changes something runs alone: from change to change on CPUs. A sum within a
// cutoff is no search, nor is one number with its place.
// RUN: %rgcc -O2 -S -emit-llvm %s -o %t.ll -mllvm -rg-print-after=changes-alone 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -S -emit-llvm %s -o %t.ll -mllvm -rg-disable=changes-alone -mllvm -rg-print-plan 2>&1 | FileCheck %s --check-prefix=OFF
// CHECK: ; after changes-alone
// CHECK-LABEL: @rg.primal.nearest(
// A round begins with the place behind the last change; what looks for the next one stores nothing.
// CHECK: [[FIRST:%[0-9]+]] = phi i64 [ 0, %{{[0-9]+}} ], [ [[NEXT:%[0-9]+]], %{{[0-9]+}} ]
// CHECK: [[PLACE:%[0-9]+]] = phi i64 [ [[FIRST]], %{{[0-9]+}} ], [ %{{[0-9]+}}, %{{[0-9]+}} ]
// CHECK-NOT: store
// CHECK: fcmp olt
// CHECK-NOT: store
// CHECK: icmp eq i64 [[PLACE]], %
// CHECK: fadd
// CHECK: store double
// CHECK: [[NEXT]] = add nuw nsw i64 [[PLACE]], 1
// CHECK-NOT: ; after changes-alone
// OFF-LABEL: plan for rg.primal.nearest
// OFF: per iteration
void __enzyme_autodiff(void *, ...);
extern int enzyme_const;
#define FEW 6

double nearest(const double *x, int n) {
  double keys[FEW], worst = 0, sum = 0;
  int size = 0, at = 0;
  for (int i = 0; i < n; ++i) {
    double d = (x[i] - 0.5) * (x[i] - 0.5);
    if (size < FEW) {
      keys[size] = d;
      if (size == 0 || d > worst)
        worst = d, at = size;
      ++size;
    } else if (d < worst) {
      keys[at] = worst = d;
      for (int j = 0; j < FEW; ++j)
        if (keys[j] > worst)
          worst = keys[j], at = j;
    }
  }
  for (int j = 0; j < size; ++j)
    sum += keys[j] * (j + 1);
  return sum;
}
double within(const double *x, int n) {
  double sum = 0, other = 1;
  for (int i = 0; i < n; ++i) {
    double d = x[i] * x[i];
    if (d < 0.5) {
      sum += d;
      other *= d;
    }
  }
  return sum * other;
}
double least(const double *x, int n) {
  double best = 1e30;
  int at = -1;
  for (int i = 0; i < n; ++i) {
    double d = x[i] * x[i];
    if (d < best)
      best = d, at = i;
  }
  return best * at;
}
void gradients(const double *x, double *dx, int n) {
  __enzyme_autodiff((void *)nearest, x, dx, enzyme_const, n);
  __enzyme_autodiff((void *)within, x, dx, enzyme_const, n);
  __enzyme_autodiff((void *)least, x, dx, enzyme_const, n);
}
