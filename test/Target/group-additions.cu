// Additions of a block of code to a shared array are done several at a time, 32 where the warp has one place for
// each; barriers and what takes adjoints out of the array part them.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -mllvm -rg-disable=gpu-inline -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o - | FileCheck --check-prefix=PTX %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-disable=group-additions %s -o - | FileCheck --check-prefix=APART %s
// RUN: %rgcxx -x hip --offload-arch=gfx90a -nogpuinc -nogpulib --cuda-device-only -I%root/test/include -O2 -S %s -o %t.s
#include "rgdevice.h"
// All threads read one row: by four runs of eight, and by eights, should they turn out to be apart.
__device__ void rows(const float *__restrict__ x, float *__restrict__ y, int n) {
  __shared__ float tile[16][64];
  for (int k = 0; k < 4; ++k)
    tile[THREAD() >> 4][k * 16 + (THREAD() & 15)] = x[256 * k + THREAD()];
  BARRIER();
  float sum = 0;
  for (int j = 0; j < n; ++j)
#pragma unroll
    for (int k = 0; k < 64; ++k)
      sum += tile[j][k] * x[1024 + k * 256 + THREAD()];
  y[THREAD()] = sum;
}
// CHECK-LABEL: define {{.*}}@rg._Z4rows
// CHECK: call {{.*}}@rg_peers(
// CHECK-NOT: @rg_merge_shared
// CHECK-NOT: shfl.sync.idx
// CHECK-COUNT-31: shfl.sync.bfly
// CHECK: atomicrmw fadd
__global__ void gradientOfRows(const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)rows, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}
__device__ void f(const float *__restrict__ x, float *__restrict__ y) {
  __shared__ float tile[8][16][16];
  int i = THREAD() & 15, j = THREAD() >> 4;
#pragma unroll
  for (int l = 0; l < 8; ++l)
    tile[l][j][i] = x[256 * l + THREAD()];
  BARRIER();
  float sum = 0;
#pragma unroll
  for (int l = 0; l < 8; ++l)
#pragma unroll
    for (int k = 0; k < 16; ++k)
      sum += tile[l][j][k] * tile[l][j][k];
  y[THREAD()] = sum;
}
// CHECK-LABEL: define {{.*}}@rg._Z1f
// CHECK-NOT: @rg_merge_shared_f32(
// CHECK-COUNT-16: call {{.*}}@rg_merge_f32x8(
// CHECK-NOT: @rg_merge
// CHECK: barrier
// PTX: .func{{.*}}rg_merge_f32x8
// PTX: shfl.sync.idx
// APART-NOT: rg_merge_f32x8
// APART: call.uni rg_merge_shared_f32
__global__ void gradient(const float *x, float *dx, float *y, float *dy) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy);
}
