// -fgpu-rdc: kernels of other files may call a function with the derivative, and their launches
// know of no shadow in dynamic shared memory. Kernels of this file leave word, the function looks
// for it and stops the launch with a message. Functions that only this file calls need none of it.
// RUN: %rgcxx -x cuda -fgpu-rdc --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rgcxx -x cuda -fgpu-rdc --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm -DALONE %s -o - | FileCheck --check-prefix=ALONE %s
#include "rgdevice.h"
extern __shared__ double tile[];
__device__ void mirror(const double *x, double *y) {
  tile[THREAD()] = x[THREAD()];
  BARRIER();
  y[THREAD()] = tile[31 - THREAD()] * tile[THREAD()];
}
// ALONE-NOT: rg_dynamic_launch
// CHECK: @rg_dynamic_launch = internal addrspace(3) global i64
#ifdef ALONE
static
#endif
// CHECK-LABEL: define{{.*}} void @_Z8gradient
// CHECK: [[GRID:%.*]] = {{.*}}@llvm.nvvm.read.ptx.sreg.gridid()
// CHECK: load i64, ptr addrspace(3) @rg_dynamic_launch
// CHECK: call {{.*}}@vprintf
// CHECK: @llvm.trap()
__device__ void gradient(const double *x, double *dx, double *y, double *dy) {
  __enzyme_autodiff((void *)mirror, enzyme_dup, x, dx, enzyme_dup, y, dy);
}
// CHECK-LABEL: define{{.*}} ptx_kernel void @_Z3own
// CHECK: store i64 %{{.*}}, ptr addrspace(3) @rg_dynamic_launch
__global__ void own(const double *x, double *dx, double *y, double *dy) { gradient(x, dx, y, dy); }
