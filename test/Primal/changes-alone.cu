// On a GPU the loop is cut into pieces, which run twice: on copies of local variables, to find which iterations change
// something, and these alone. Where results are in other memory, threads go from change to change within a piece.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o %t.s -mllvm -rg-print-after=changes-alone 2>&1 | FileCheck %s
#include "rgdevice.h"
// CHECK: ; after changes-alone
// CHECK-LABEL: @rg.primal._Z5localPKdPdi(
// CHECK: [[COPY:%[0-9]+]] = alloca [6 x double]
// CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 8 [[COPY]], ptr align 8 {{%[0-9]+}}, i64 48
// CHECK: call i32 @llvm.umin.i32(i32 %{{[0-9]+}}, i32 31)
// CHECK: shl i32
// CHECK: [[BITS:%[0-9]+]] = phi i32 [ %{{[0-9]+}}, %{{[0-9]+}} ]
// CHECK-NEXT: icmp eq i32 [[BITS]], 0
// CHECK: call i32 @llvm.ctpop.i32(i32 [[BITS]])
// CHECK: call i32 @llvm.cttz.i32(
// CHECK: ; after changes-alone
// CHECK-LABEL: @rg.primal._Z9elsewherePKdPdi(
// CHECK: call i32 @llvm.umin.i32(i32 %{{[0-9]+}}, i32 31)
// CHECK-NOT: llvm.ctpop
// CHECK-NOT: ; after changes-alone
template <class T> __device__ inline int search(const double *__restrict__ x, T keys, int n) {
  int size = 0, at = 0;
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    double d = (x[i] - 0.5) * (x[i] - 0.5);
    if (size < 6) {
      keys[size] = d;
      if (size == 0 || d > worst)
        worst = d, at = size;
      ++size;
    } else if (d < worst) {
      keys[at] = worst = d;
      for (int j = 0; j < 6; ++j)
        if (keys[j] > worst)
          worst = keys[j], at = j;
    }
  }
  return size;
}
__device__ void local(const double *__restrict__ x, double *__restrict__ y, int n) {
  double keys[6], sum = 0;
  int size = search<double *>(x + INDEX(), keys, n);
  for (int j = 0; j < size; ++j)
    sum += keys[j] * (j + 1);
  y[INDEX()] = sum;
}
__device__ void elsewhere(const double *__restrict__ x, double *__restrict__ y, int n) {
  search<double *__restrict__>(x + INDEX(), y + 6 * INDEX(), n);
}
__global__ void gradient(const double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)local, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
  __enzyme_autodiff((void *)elsewhere, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
