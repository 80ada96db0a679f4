// The last iteration of a row whose last cell has another neighbour stands behind it (lib/Primal/Optimise/PeelLast.cpp). test/Execute/C/snapshots.c asks whether it is right.
// RUN: %clang -O2 -fno-unroll-loops -S -emit-llvm -fno-discard-value-names %s -o %t.ll
// RUN: %loadopt '-passes=print<rg-primal>' -disable-output %t.ll 2>&1 | FileCheck %s
// RUN: %loadopt '-passes=print<rg-primal>' -rg-disable=peel-last -disable-output %t.ll 2>&1 | FileCheck %s --check-prefix=OFF

// CHECK-LABEL: define {{.*}} @rg.primal.ring(
// CHECK-NOT: select
// CHECK: ret void
// OFF-LABEL: define {{.*}} @rg.primal.ring(
// OFF: select
void ring(int n, const double *restrict u, double *restrict k) {
  for (int j = 0; j < n; ++j) {
    const int right = j == n - 1 ? 0 : j + 1;
    k[j] = u[j] * u[right];
  }
}

// What is compared is not the last iteration.
// CHECK-LABEL: define {{.*}} @rg.primal.somewhere(
// CHECK: select
void somewhere(int n, int m, const double *restrict u, double *restrict k) {
  for (int j = 0; j < n; ++j)
    k[j] = u[j == m ? 0 : j + 1];
}

// No place depends on it.
// CHECK-LABEL: define {{.*}} @rg.primal.number(
// CHECK: select
void number(int n, const double *restrict u, double *restrict k) {
  for (int j = 0; j < n; ++j)
    k[j] = u[j] * (j == n - 1 ? 2 : 3);
}
