// Additions to a row of a shared array in branches wait for the end of the iteration, where all lanes add to the row:
// one question who is there, in front of it one whether anybody adds at all.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm -mllvm -rg-disable=gpu-inline %s -o - | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm -mllvm -rg-disable=gpu-inline,join-additions %s -o - | FileCheck --check-prefix=APART %s
#include "rgdevice.h"
__device__ void near(const float *__restrict__ x, float *__restrict__ y, int n) {
  __shared__ float tile[64][4];
  for (int k = 0; k < 4; ++k)
    tile[THREAD()][k] = x[64 * k + THREAD()];
  BARRIER();
  float sum = 0, mine = x[THREAD()];
#pragma unroll 1
  for (int j = 0; j < 64; ++j) {
    float d = tile[j][0] - mine;
    if (d * d < 0.5f)
      sum += d * tile[j][1] * tile[j][2] * tile[j][3];
  }
  y[THREAD()] = sum;
}
// CHECK-LABEL: define {{.*}}@rg._Z4near
// CHECK: vote.any
// CHECK: call {{.*}}@rg_peers(
// CHECK-NOT: @rg_peers(
// CHECK: call {{.*}}@rg_merge_f32x4(
// CHECK: ret void
// APART-LABEL: define {{.*}}@rg._Z4near
// APART-COUNT-2: call {{.*}}@rg_peers(
__global__ void gradient(const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)near, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}
