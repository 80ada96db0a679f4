// Whether a place is the thread's own is known when a derivative is part of its kernel: what a kernel is given is global.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm -mllvm -rg-disable=known-spaces %s -o - | FileCheck %s --check-prefix=OFF
#include "rgdevice.h"
__device__ void f(const double *x, double *y, const int *index) {
  y[INDEX()] = x[index[INDEX()]] * x[0];
}
// CHECK-LABEL: ptx_kernel void @_Z8gradient
// CHECK-NOT: @llvm.nvvm.isspacep
// CHECK: ret void
// OFF-LABEL: ptx_kernel void @_Z8gradient
// OFF: @llvm.nvvm.isspacep.local
__global__ void gradient(const double *x, double *dx, double *y, double *dy, const int *index) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, index);
}
