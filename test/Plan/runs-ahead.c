// A store that stays ahead of a load in a loop never comes to what the load has read; one that follows does. In both directions.
// RUN: %rgcc -O2 -c %s -o /dev/null -mllvm -rg-print-overwrite 2>&1 | FileCheck %s
// RUN: %rgcc -O2 -c %s -o /dev/null -mllvm -rg-print-overwrite -mllvm -rg-disable=runs-ahead 2>&1 | FileCheck --check-prefix=WITHOUT %s
// RUN: %rgcc -O2 -c %s -o /dev/null -mllvm -rg-print-loops 2>&1 | FileCheck --check-prefix=LOOPS %s
int enzyme_dup, enzyme_const;
void __enzyme_autodiff(void *, ...);

// CHECK-LABEL: overwrite in rg.primal.up
// CHECK: repeatable {{.*}}load double
// CHECK-NEXT: runs ahead: store double {{.*}} (runs-ahead.c:[[#@LINE+6]])
// WITHOUT-LABEL: overwrite in rg.primal.up
// WITHOUT: overwritten {{.*}}load double
// WITHOUT-NEXT: by: store double
// LOOPS: affine %{{.*}} from 0 step 1
void up(long n, double *x) {
  for (long i = 0; i < n; ++i) x[i + 4] = x[i] * x[i];
}
// LLVM keeps x[i - 1] in a register where it can: four places apart it does not.
// CHECK-LABEL: overwrite in rg.primal.down
// CHECK: repeatable {{.*}}load double
// CHECK-NEXT: runs ahead: store double
// LOOPS: affine %{{.*}} from {{.*}} step -1
void down(long n, double *x) {
  for (long i = n; i > 3; --i) x[i - 4] = x[i] * x[i];
}
// The store comes to what was read, at once or four iterations later.
// CHECK-LABEL: overwrite in rg.primal.sameUp
// CHECK: overwritten {{.*}}load double
// CHECK-NEXT: by: store double
void sameUp(long n, double *x) {
  for (long i = 0; i < n; ++i) x[i] = x[i] * x[i];
}
// CHECK-LABEL: overwrite in rg.primal.sameDown
// CHECK: overwritten {{.*}}load double
// CHECK-NEXT: by: store double
void sameDown(long n, double *x) {
  for (long i = n; i > 0; --i) x[i] = x[i] * x[i];
}
// CHECK-LABEL: overwrite in rg.primal.behindUp
// CHECK: overwritten {{.*}}load double
void behindUp(long n, double *x) {
  for (long i = 4; i < n; ++i) x[i - 4] += x[i] * x[i] * x[i - 4];
}
// CHECK-LABEL: overwrite in rg.primal.behindDown
// CHECK: overwritten {{.*}}load double
void behindDown(long n, double *x) {
  for (long i = n; i > 3; --i) x[i] = x[i - 4] * x[i - 4] * x[i];
}
#define GRADIENT(f) void d_##f(long n, double *x, double *dx) { __enzyme_autodiff((void *)f, enzyme_const, n, enzyme_dup, x, dx); }
GRADIENT(up) GRADIENT(down) GRADIENT(sameUp) GRADIENT(sameDown) GRADIENT(behindUp) GRADIENT(behindDown)
