// A recurrence of many iterations is cut into segments of 32 on a GPU, with the barriers in it if all threads of a block
// have as many; a sum is not.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o %t.s -mllvm -rg-print-after=segment-recurrences 2>&1 | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o %t.s -mllvm -rg-disable=segment-recurrences -mllvm -rg-print-plan 2>&1 | FileCheck %s --check-prefix=OFF
#include "rgdevice.h"
// CHECK: ; after segment-recurrences
// CHECK-LABEL: @rg.primal._Z8productsPKdPdi(
// CHECK: udiv i32 %{{.*}}, 32
// CHECK: call i32 @llvm.umin.i32(i32 %{{.*}}, i32 31)
// CHECK: ; after segment-recurrences
// CHECK-LABEL: @rg.primal._Z8togetherPKdPdi(
// CHECK: udiv i32 %{{.*}}, 32
// CHECK-NOT: ; after segment-recurrences
// OFF-LABEL: plan for rg.primal._Z8products
// OFF: per iteration
__device__ void products(const double *__restrict__ x, double *__restrict__ y, int n) {
  double p = 1;
  for (int k = 0; k < n; ++k)
    p = p * x[k] + 1;
  y[INDEX()] = p;
}
__device__ void together(const double *__restrict__ x, double *__restrict__ y, int n) {
  __shared__ double row[32];
  double p = 1;
  for (int k = 0; k < n; ++k) {
    BARRIER();
    row[THREAD()] = x[32 * k + THREAD()];
    BARRIER();
    p = p * row[31 - THREAD()] + 1;
  }
  y[INDEX()] = p;
}
// The number of rounds is the thread's.
__device__ void apart(const double *__restrict__ x, double *__restrict__ y, int n) {
  double p = 1;
  for (int k = 0; k < n + (int)THREAD(); ++k) {
    p = p * x[k] + 1;
    BARRIER();
  }
  y[INDEX()] = p;
}
__device__ void sums(const double *__restrict__ x, double *__restrict__ y, int n) {
  double s = 1;
  for (int k = 0; k < n; ++k)
    s += x[k] * x[k];
  y[INDEX()] = s;
}
__global__ void gradient(const double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)products, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
  __enzyme_autodiff((void *)together, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
  __enzyme_autodiff((void *)apart, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
  __enzyme_autodiff((void *)sums, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
