// Lanes that reverse a loop in step add to the row that all of them have read where the iteration ends, those that wait
// as well: nobody asks who is there. Not where the place is a lane's own, or follows from what was read.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm -mllvm -rg-disable=gpu-inline %s -o - | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm -mllvm -rg-disable=gpu-inline,step-sums %s -o - | FileCheck --check-prefix=APART %s
// RUN: %rgcxx -x hip --offload-arch=gfx90a -nogpuinc -nogpulib --cuda-device-only -I%root/test/include -O2 -S %s -o %t.s
#include "rgdevice.h"
__device__ void rays(const float *__restrict__ x, float *__restrict__ y, int n) {
  __shared__ float tile[64][4];
  for (int k = 0; k < 4; ++k)
    tile[THREAD()][k] = x[64 * k + THREAD()];
  BARRIER();
  float through = 1, sum = 0;
  for (int j = 0; j < n; ++j) {
    float a = tile[j][0] * tile[j][1];
    if (a < 0.1f)
      continue;
    float left = through * (1 - a);
    if (left < 0.01f)
      break;
    sum += through * a * tile[j][2] * tile[j][3];
    through = left;
  }
  y[THREAD()] = sum;
}
// CHECK-LABEL: define {{.*}}@rg._Z4rays
// CHECK: %[[LANES:.*]] = call {{.*}}@rg_step_lanes(
// CHECK: call {{.*}}@rg_step_ranks(i32 {{.*}}%[[LANES]])
// CHECK-NOT: @rg_peers(
// CHECK: vote.any.sync
// CHECK: call {{.*}}@rg_step_some_f32x4(
// CHECK-NOT: @rg_peers(
// CHECK: ret void
// APART-LABEL: define {{.*}}@rg._Z4rays
// APART-NOT: rg_step_ranks
// APART: call {{.*}}@rg_peers(
__global__ void gradientOfRays(const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)rays, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}
__device__ void own(const float *__restrict__ x, const int *__restrict__ which, float *__restrict__ y, int n) {
  __shared__ float tile[128];
  tile[THREAD()] = x[THREAD()];
  BARRIER();
  float through = 1, sum = 0;
  for (int j = 0; j < n; ++j) {
    float a = tile[j + THREAD()] * tile[which[j]];
    float left = through * (1 - a);
    if (left < 0.01f)
      break;
    sum += through * a;
    through = left;
  }
  y[THREAD()] = sum;
}
// CHECK-LABEL: define {{.*}}@rg._Z3own
// CHECK-NOT: rg_step_ranks
// CHECK: ret void
__global__ void gradientOfOwn(const float *x, float *dx, const int *which, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)own, enzyme_dup, x, dx, enzyme_const, which, enzyme_dup, y, dy, n);
}
