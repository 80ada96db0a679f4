// What threads add at the end: over the whole block where all of it comes there, else over warps.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm -mllvm -rg-disable=block-sums %s -o - | FileCheck --check-prefix=WARPS %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm -mllvm -rg-disable=gpu-sums-at-end %s -o - | FileCheck --check-prefix=OFF %s
#include "rgdevice.h"

__device__ void scale(const float *__restrict__ w, const float *__restrict__ x, float *__restrict__ y, unsigned n) {
  unsigned i = INDEX();
  if (i >= n)
    return;
  y[i] = w[0] * x[i] + w[1];
}
// In line, with one barrier: nobody comes here again.
// CHECK-LABEL: define{{.*}} @_Z5whole
// CHECK-NOT: @rg_sums
// CHECK: call void @llvm.nvvm.barrier
// CHECK-NOT: {{@rg_sums|llvm.nvvm.barrier}}
// CHECK: {{^}}}
// WARPS-LABEL: define{{.*}} @_Z5whole
// WARPS: call void @rg_sums_f32x4({{.*}}, i32 2, i32 0)
// OFF-LABEL: define{{.*}} @_Z5whole
// OFF-NOT: rg_sums
__global__ void whole(const float *w, float *dw, const float *x, float *dx, float *y, float *dy, unsigned n) {
  __enzyme_autodiff((void *)scale, enzyme_dup, w, dw, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
// Weights by the block's number, which both ways ask for.
__device__ void ofBlock(const float *__restrict__ w, const float *__restrict__ x, float *__restrict__ y, unsigned n) {
  unsigned i = INDEX();
  if (i >= n)
    return;
  const float *mine = w + __nvvm_read_ptx_sreg_ctaid_x() % 64 * 5;
  float s = 0;
  for (unsigned k = 0; k < 5; ++k)
    if (i + k < n)
      s += mine[k] * x[i + k];
  y[i] = s;
}
// CHECK-LABEL: define{{.*}} @_Z5block
// CHECK-NOT: @rg_sums
// CHECK: call void @llvm.nvvm.barrier
// CHECK-NOT: {{@rg_sums|llvm.nvvm.barrier}}
// CHECK: {{^}}}
__global__ void block(const float *w, float *dw, const float *x, float *dx, float *y, float *dy, unsigned n) {
  __enzyme_autodiff((void *)ofBlock, enzyme_dup, w, dw, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
// What the first sums have written is read before the second ones write there.
// CHECK-LABEL: define{{.*}} @_Z5twice
// CHECK-NOT: @rg_sums
// CHECK-COUNT-4: call void @llvm.nvvm.barrier
// CHECK: {{^}}}
__global__ void twice(const float *w, float *dw, const float *x, float *dx, float *y, float *dy, unsigned n) {
  __enzyme_autodiff((void *)scale, enzyme_dup, w, dw, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
  __enzyme_autodiff((void *)scale, enzyme_dup, w + 2, dw + 2, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
// Each thread has weights of its own.
// CHECK-LABEL: define{{.*}} @_Z3own
// CHECK: call void @rg_sums_f32({{.*}}, i32 2, i32 1)
__global__ void own(const float *w, float *dw, const float *x, float *dx, float *y, float *dy, unsigned n) {
  unsigned k = 2 * THREAD();
  __enzyme_autodiff((void *)scale, enzyme_dup, w + k, dw + k, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
// CHECK-LABEL: define{{.*}} @_Z4some
// CHECK: call void @rg_sums_f32({{.*}}, i32 2, i32 0)
__global__ void some(const float *w, float *dw, const float *x, float *dx, float *y, float *dy, unsigned n) {
  if (INDEX() % 3)
    __enzyme_autodiff((void *)scale, enzyme_dup, w, dw, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
// CHECK-LABEL: define{{.*}} @_Z5often
// CHECK: call void @rg_sums_f32({{.*}}, i32 2, i32 0)
__global__ void often(const float *w, float *dw, const float *x, float *dx, float *y, float *dy, unsigned n) {
#pragma unroll 1
  for (unsigned k = 0; k < n; ++k)
    __enzyme_autodiff((void *)scale, enzyme_dup, w + k, dw + k, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}

// Beside another kernel of the file that has much shared memory, too.
__device__ void tiles(const float *__restrict__ x, float *__restrict__ y) {
  __shared__ float tile[5120];
  for (unsigned k = THREAD(); k < 5120; k += 256)
    tile[k] = x[k];
  BARRIER();
  y[INDEX()] = tile[THREAD()] * tile[5119 - THREAD()];
}
__global__ void ofTiles(const float *x, float *dx, float *y, float *dy) {
  __enzyme_autodiff((void *)tiles, enzyme_dup, x, dx, enzyme_dup, y, dy);
}
