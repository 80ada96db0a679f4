// Kernels that may need tape beyond their local memory say so to the host, at the end of the pipeline:
// the recurrence, whose count is the data's; not the sum, which keeps nothing. AMD's launches ask nothing.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O0 -S %s -o - | FileCheck --check-prefix=PTX %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm -mllvm -rg-disable=launch-tape %s -o - | FileCheck --check-prefix=OFF %s
// RUN: %rgcxx -x hip --offload-arch=gfx90a -nogpuinc -nogpulib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm %s -o - | FileCheck --check-prefix=OFF %s
#include "rgdevice.h"
// CHECK-DAG: @rg_tape_of_[[KERNEL:_Z5chain.*]] = addrspace(1) externally_initialized global i8 1
// CHECK-DAG: @rg_tape_pool = {{.*}}addrspace(1) global ptr 
// CHECK-NOT: @rg_tape_of_{{.*}} global
// CHECK: define {{.*}}ptx_kernel void @[[KERNEL]](
// PTX-DAG: .visible .global .align 1 .u8 rg_tape_of__Z5chain
// PTX-DAG: .weak .global .align 8 .u64 rg_tape_pool
// OFF-NOT: rg_tape_of_
__device__ void recur(const double *x, double *y, int n) {
  double p = x[INDEX()];
  for (int k = 0; k < n; ++k)
    p = p * p * x[k] + p;
  y[INDEX()] = p;
}
__device__ void add(const double *__restrict__ x, double *__restrict__ y, int n) {
  double p = 0;
  for (int k = 0; k < n; ++k)
    p += x[k] * x[k];
  y[INDEX()] = p;
}
__global__ void chain(const double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)recur, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}
__global__ void sum(const double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)add, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}
