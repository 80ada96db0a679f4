// Static shared memory that is more than 48 KiB with its adjoints: what is too much lies in
// dynamic shared memory, the kernel says how many bytes that is, and stops where a launch
// has not asked. Beside other dynamic memory it is found from the end.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm -DLESS %s -o - | FileCheck %s --check-prefix=SMALL
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm -DDYNAMIC %s -o - | FileCheck %s --check-prefix=DYNAMIC
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O0 -S %s -o - | FileCheck %s --check-prefix=PTX
#include "rgdevice.h"
#ifdef LESS
enum { MOST = 2048 };
#else
enum { MOST = 4096 };
#endif
#ifdef DYNAMIC
extern __shared__ double given[];
#endif
__device__ void mirror(const double *x, double *y) {
  __shared__ double tile[MOST];
  int t = THREAD();
  for (int i = 0; i < 64; i++)
    tile[t * 64 + i] = x[t] * i;
#ifdef DYNAMIC
  given[t] = x[t] * x[t];
#endif
  BARRIER();
  double sum = 0;
  for (int i = 0; i < 64; i++)
    sum += tile[i * 64 + (63 - t)] * tile[(MOST - 1) - t * 64 - i];
#ifdef DYNAMIC
  sum += given[31 - t];
#endif
  y[t] = sum;
}
// 32 KiB, and 32 of adjoints.
// CHECK: @rg_dynamic_base = external addrspace(3) global [0 x i8], align 16
// CHECK: @rg_moved_bytes_of_[[NAME:.*]] = addrspace(1) constant i32 32768
// CHECK: define{{.*}} ptx_kernel void @[[NAME]](
// CHECK: [[ALL:%.*]] = {{.*}}@llvm.nvvm.read.ptx.sreg.dynamic_smem_size()
// CHECK: [[TOO:%.*]] = icmp ult i32 [[ALL]], 32768
// CHECK: br i1 [[TOO]]
// CHECK: call {{.*}}@vprintf
// CHECK: call void @llvm.trap()
// CHECK: {{(store|load|getelementptr).*}}@rg_dynamic_base
// SMALL-NOT: rg_moved_bytes
// SMALL-NOT: rg_dynamic_base
// The size that the other shadow asks for is that of what lies in front.
// DYNAMIC: @rg_moved_bytes_of_{{.*}} = addrspace(1) constant i32 32768
// DYNAMIC: icmp ult i32 {{.*}}, 32768
// DYNAMIC: [[FIRST:%.*]] = {{.*}}@llvm.nvvm.read.ptx.sreg.dynamic_smem_size()
// DYNAMIC-NEXT: sub i32 [[FIRST]], 32768
// DYNAMIC: [[ALL:%.*]] = {{.*}}@llvm.nvvm.read.ptx.sreg.dynamic_smem_size()
// DYNAMIC-NEXT: [[REST:%.*]] = sub i32 [[ALL]], 32768
// DYNAMIC: lshr i32 [[REST]], 1
// PTX: rg_moved_bytes_of_{{.*}} = 32768;
__global__ void gradient(const double *x, double *dx, double *y, double *dy) {
  __enzyme_autodiff((void *)mirror, enzyme_dup, x, dx, enzyme_dup, y, dy);
}
