// Kernels that may need tape beyond their local memory say so to the host, at the end of the pipeline:
// the recurrence, whose count is the data's; not the sum, which keeps nothing. AMD's launches ask nothing.
// Such a kernel has as much of its stack as the host then says, from PTX 7.3 on. What it asks for is known before it
// starts, as far as it follows from what it is given: n pieces of eight bytes, if there is an element.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O0 -S %s -o - | FileCheck --check-prefix=PTX %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm -mllvm -rg-disable=launch-tape %s -o - | FileCheck --check-prefix=OFF %s
// RUN: %rgcxx -x hip --offload-arch=gfx90a -nogpuinc -nogpulib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm %s -o - | FileCheck --check-prefix=OFF %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm -mllvm -rg-disable=stack-tape %s -o - | FileCheck --check-prefix=NOSTACK %s
// RUN: %rgcxx -x cuda --offload-arch=sm_70 --cuda-feature=+ptx72 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm %s -o - | FileCheck --check-prefix=NOSTACK %s
#include "rgdevice.h"
// CHECK-DAG: @rg_tape_of_[[KERNEL:_Z5chain.*]] = addrspace(1) externally_initialized global i64 0
// CHECK-DAG: @rg_need_of_[[KERNEL]] = addrspace(1) constant [{{[0-9]+}} x { i8, i8, i16, i16, i16, i64 }] [{{.*}}{ i8, i8, i16, i16, i16, i64 } { i8 1, i8 32, i16 4, {{.*}}{ i8, i8, i16, i16, i16, i64 } { i8 20, i8 64, i16 {{[0-9]+}}, i16 {{[0-9]+}}, i16 0, i64 0 }]
// CHECK-DAG: @rg_tape_pool = {{.*}}addrspace(1) global ptr 
// CHECK-NOT: @rg_tape_of_{{.*}} global
// CHECK: define {{.*}}ptx_kernel void @[[KERNEL]](
// CHECK: %[[STATE:.*]] = alloca { ptr, i64, i32 }
// CHECK: %[[BYTES:.*]] = load i64, ptr addrspace(1) @rg_tape_of_[[KERNEL]]
// CHECK: alloca i8, i64 %[[BYTES]], align 16
// CHECK: call {{.*}}@rg_tape_alloc_slow(ptr {{.*}}, i64 {{.*}}, ptr {{.*}}%[[STATE]])
// CHECK-LABEL: define {{.*}}ptx_kernel void @_Z3sum
// CHECK-NOT: alloca i8
// NOSTACK: @rg_tape_of_
// NOSTACK-NOT: alloca i8, i64
// PTX-DAG: .visible .global .align 8 .u64 rg_tape_of__Z5chain
// PTX-DAG: .weak .global .align 8 .u64 rg_tape_pool
// PTX: alloca.u64
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
