// The adjoint of a store to memory that threads share is taken by one exchange: others may have
// stored the same number. Where the thread has read the place before, it is its own, and a load and
// a store will do in the block's memory. Where the lanes of a warp probably store to one place, one
// of them takes it. What the caller does not need of a
// parameter that nothing else leads to is not stored again.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o - | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-disable=gpu-exchange %s -o - | FileCheck --check-prefix=PLAIN %s
// RUN: %rgcxx -x hip --offload-arch=gfx90a -nogpuinc -nogpulib --cuda-device-only -I%root/test/include -O2 -S %s -o %t.s
#include "rgdevice.h"
extern __device__ int enzyme_dupnoneed;
__device__ void f(const float *__restrict__ x, float *__restrict__ y, int n) {
  __shared__ float tile[64];
  int i = INDEX();
  tile[i % 64] = x[i] * x[i];
  y[i] = tile[i % 64] * x[i + n];
}
// CHECK-LABEL: .entry _Z8gradient
// CHECK-NOT: st.global.b32
// CHECK: atom.global.exch.b32
// CHECK-NOT: st.global
// CHECK: red.relaxed.gpu.global.add.f32
// CHECK: ret;
// PLAIN-LABEL: .entry _Z8gradient
// PLAIN-NOT: exch
// PLAIN: st.global.b32
// PLAIN: ret;
__global__ void gradient(const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dupnoneed, y, dy, n);
}
// CHECK-LABEL: .entry _Z14gradientOfBoth
// CHECK-DAG: st.global.b32
// CHECK-DAG: atom.global.exch.b32
// CHECK: ret;
__global__ void gradientOfBoth(const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}

// CHECK-LABEL: .entry _Z12gradientTree
// CHECK: atom.shared.exch.b32
// CHECK-NOT: atom.shared.exch
// CHECK: rg_take_by_one_b32
// CHECK: ret;
// PLAIN-LABEL: .entry _Z12gradientTree
// PLAIN-NOT: exch
// PLAIN-NOT: rg_take
// PLAIN: ret;
#ifndef __HIP__
__device__ void tree(const float *__restrict__ x, float *__restrict__ y, int n) {
  __shared__ float tile[256], whole;
  int t = __nvvm_read_ptx_sreg_tid_x();
  tile[t] = x[t] * x[t];
  __syncthreads();
  if (t < 128)
    tile[t] += tile[t + 128] * x[n];
  __syncthreads();
  whole = tile[0] * tile[1];
  __syncthreads();
  y[t] = whole * x[t];
}
__global__ void gradientTree(const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)tree, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}
#endif
