// Where all threads of a block add to places of a shared array, each adds up what goes to places of its own: no
// additions meet, and nothing is exchanged. The run asks for the shape of the block and counts its threads.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -mllvm -rg-disable=gpu-inline -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o - | FileCheck --check-prefix=PTX %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-disable=gather-tiles -emit-llvm %s -o - | FileCheck --check-prefix=APART %s
// APART-NOT: @rg.published
#include "rgdevice.h"

// CHECK: @rg.published{{.*}} = internal addrspace(3) global
__device__ void product(const float *__restrict__ x, float *__restrict__ y) {
  __shared__ float a[16][16], b[16][16];
  int c = THREAD() & 15, r = THREAD() >> 4;
  a[r][c] = x[THREAD()];
  b[r][c] = x[256 + THREAD()];
  BARRIER();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k)
    sum += a[r][k] * b[k][c];
  BARRIER();
  y[THREAD()] = sum;
}
// CHECK-LABEL: define {{.*}}@rg._Z7product
// CHECK-NOT: shfl.sync
// CHECK: store i32 %{{.*}}, ptr addrspace(3)
// CHECK: %[[COUNT:.*]] = {{.*}}call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 true)
// CHECK-NEXT: %[[ALL:.*]] = icmp eq i32 %[[COUNT]], 256
// CHECK-NEXT: %[[FIT:.*]] = and i1 %{{.*}}, %[[ALL]]
// CHECK-NEXT: br i1 %[[FIT]], label %[[OWNED:.*]], label %[[EACH:.*]]
// CHECK: [[OWNED]]:
// CHECK-NOT: @rg_merge
// CHECK-NOT: shfl.sync
// CHECK: getelementptr {{.*}}@rg.published
// CHECK: [[EACH]]:
// CHECK-COUNT-32: call {{.*}}@rg_merge_shared_f32(
// Vectors of what lies side by side, and no branches of a warp.
// PTX: bar.red.popc
// PTX: ld.shared.v4
__global__ void gradient(const float *x, float *dx, float *y, float *dy) {
  __enzyme_autodiff((void *)product, enzyme_dup, x, dx, enzyme_dup, y, dy);
}

// A number of its own for each addition, which nobody else can compute: not here.
__device__ void own(const float *__restrict__ x, float *__restrict__ y) {
  __shared__ float a[16][16];
  int c = THREAD() & 15, r = THREAD() >> 4;
  a[r][c] = x[THREAD()];
  BARRIER();
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 16; ++k)
    sum += a[r][k] * x[256 * k + THREAD()];
  BARRIER();
  y[THREAD()] = sum;
}
// CHECK-LABEL: define {{.*}}@rg._Z3own
// CHECK-NOT: barrier.cta.red
// CHECK: ret void
__global__ void gradientOfOwn(const float *x, float *dx, float *y, float *dy) {
  __enzyme_autodiff((void *)own, enzyme_dup, x, dx, enzyme_dup, y, dy);
}

// Four by four numbers for each thread, of tiles of 16 by 64.
__device__ void blocked(const float *__restrict__ x, const float *__restrict__ z, float *__restrict__ y) {
  __shared__ float a[16][64], b[16][64];
  int c = THREAD() % 16, r = THREAD() / 16;
  float sum[4][4] = {};
#pragma unroll
  for (int l = 0; l < 4; ++l) {
    int e = l * 256 + THREAD();
    a[e % 16][e / 16] = x[e];
    b[e / 64][e % 64] = z[e];
  }
  BARRIER();
#pragma unroll
  for (int k = 0; k < 16; ++k)
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j)
        sum[i][j] += a[k][r * 4 + i] * b[k][c * 4 + j];
  BARRIER();
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
      y[(r * 4 + i) * 64 + c * 4 + j] = sum[i][j];
}
// CHECK-LABEL: define {{.*}}@rg._Z7blocked
// CHECK: %[[COUNT:.*]] = {{.*}}call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 true)
// CHECK-NEXT: icmp eq i32 %[[COUNT]], 256
// CHECK: getelementptr {{.*}}@rg.published
__global__ void gradientOfBlocked(const float *x, float *dx, const float *z, float *dz, float *y, float *dy) {
  __enzyme_autodiff((void *)blocked, enzyme_dup, x, dx, enzyme_dup, z, dz, enzyme_dup, y, dy);
}
