// Lanes in step vote where an iteration ends whether one of them has something to add. Who has skipped it brings no zeros
// there, and asks for none: it says no. Behind the vote its numbers are zeros.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -fno-discard-value-names -mllvm -rg-print-after=skipped-sums %s -o %t.s 2>&1 | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-print-after=skipped-sums -mllvm -rg-disable=skipped-sums %s -o %t.s 2>&1 | FileCheck --allow-empty --check-prefix=OFF %s
#include "rgdevice.h"
__device__ void rays(const float *__restrict__ x, float *__restrict__ y, int n) {
  __shared__ float tile[64][9];
  for (int k = 0; k < 9; ++k)
    tile[THREAD()][k] = x[64 * k + THREAD()];
  BARRIER();
  float through = 1, sum = 0, at = THREAD();
  for (int j = 0; j < n; ++j) {
    float a = tile[j][0] - at, b = tile[j][1] - at;
    float power = tile[j][2] * a * a + tile[j][3] * b * b + tile[j][4] * a * b;
    if (power > 0)
      continue;
    float alpha = tile[j][5] * __nvvm_ex2_approx_f(power);
    float left = through * (1 - alpha);
    if (left < 0.01f)
      break;
    sum += through * alpha * (tile[j][6] + tile[j][7] * tile[j][8]);
    through = left;
  }
  y[THREAD()] = sum;
}
// CHECK-LABEL: define {{.*}}@_Z8gradient
// CHECK: %[[SOME:rg.some[0-9]*]] = phi i1 [ {{.*}}false, %
// CHECK-COUNT-4: = phi float {{.*}}poison
// CHECK: vote.any.sync(i32 %{{.*}}, i1 %[[SOME]])
// CHECK: vote.any.sync(i32 -1, i1 %[[SOME]])
// CHECK: select i1 %[[SOME]], float %{{.*}}, float -0.000000e+00
// OFF-NOT: define
__global__ void gradient(const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)rays, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}
