// Shared memory: its shadow is shared, all threads clear it and wait; the barrier of
// the primal is mirrored; additions to shared and global shadows are atomic.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-disable=gpu-red -emit-llvm %s -o - | FileCheck --check-prefixes=CHECK,NV %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O0 -S %s -o %t.ptx
// RUN: %rgcxx -x hip --offload-arch=gfx90a -nogpuinc -nogpulib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm %s -o - | FileCheck --check-prefixes=CHECK,AMD %s
// RUN: %rgcxx -x hip --offload-arch=gfx1100 -nogpuinc -nogpulib --cuda-device-only -I%root/test/include -O0 -S %s -o %t.s
#include "rgdevice.h"
__device__ void f(const double *x, double *y, int n) {
  __shared__ double s[64];
  int t = THREAD(), i = INDEX();
  s[t] = x[i] * x[i];
  BARRIER();
  y[i] = s[63 - t];
}
// CHECK: @[[S:.*1s.sh]] = internal {{.*}}addrspace(3) global [64 x double] poison
// NV: define {{.*}}ptx_kernel void @_Z8gradient
// AMD: define {{.*}}amdgpu_kernel void @_Z8gradient
// CHECK: getelementptr {{.*}}@[[S]]
// CHECK-NEXT: store i32 0
// NV: call void @llvm.nvvm.barrier.cta.sync
// AMD: call void @llvm.amdgcn.s.barrier
// the primal
// NV: call void @llvm.nvvm.barrier.cta.sync
// AMD: call void @llvm.amdgcn.s.barrier
// the load's adjoint, a barrier, the store's adjoint
// CHECK: atomicrmw fadd
// NV: call void @llvm.nvvm.barrier.cta.sync
// AMD: call void @llvm.amdgcn.s.barrier
// CHECK: atomicrmw fadd
// CHECK-NOT: barrier
// CHECK: ret void
__global__ void gradient(const double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}
