// Loops whose length data decides: lanes count down together from the largest of their last iterations. Loops whose
// length is known in front of them do not; nor do those in which lanes wait for each other.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm -mllvm -rg-disable=gpu-inline %s -o - | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm -mllvm -rg-disable=gpu-inline,loops-in-step %s -o - | FileCheck --check-prefix=APART %s
// RUN: %rgcxx -x hip --offload-arch=gfx90a -nogpuinc -nogpulib --cuda-device-only -I%root/test/include -O2 -S %s -o %t.s
#include "rgdevice.h"
// APART-NOT: rg_last_of_lanes
__device__ void ray(const float *__restrict__ x, float *__restrict__ y, int n) {
  float through = 1, sum = 0;
  for (int k = 0; k < n; ++k) {
    float left = through * (1 - x[k]);
    if (left < 0.01f)
      break;
    sum += through * x[k];
    through = left;
  }
  y[INDEX()] = sum;
}
// CHECK-LABEL: define {{.*}}@rg._Z3ray
// CHECK: %[[LANES:.*]] = call {{.*}}@rg_step_lanes(
// CHECK: call {{.*}}@rg_last_of_lanes(i64 {{.*}}, i32 {{.*}}%[[LANES]])
// CHECK: call void @llvm.nvvm.bar.warp.sync(i32 %[[LANES]])
__global__ void gradientOfRay(const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)ray, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}
__device__ void known(const float *__restrict__ x, float *__restrict__ y, int n) {
  float sum = 0;
  for (int k = THREAD(); k < n; k += 32)
    sum = sum * 0.5f + x[k] * sum;
  y[INDEX()] = sum;
}
// CHECK-LABEL: define {{.*}}@rg._Z5known
// CHECK-NOT: rg_last_of_lanes
// CHECK: ret void
__global__ void gradientOfKnown(const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)known, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}
// Nothing of a search is reversed.
__device__ void search(const float *__restrict__ x, float *__restrict__ y, const float *__restrict__ grid, int n,
                       float wanted) {
  int low = 0, high = n - 1;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (grid[middle] > wanted)
      high = middle;
    else
      low = middle;
  }
  y[INDEX()] = x[low] * x[low];
}
// CHECK-LABEL: define {{.*}}@rg._Z6search
// CHECK-NOT: rg_step_lanes
// CHECK-NOT: rg_last_of_lanes
// CHECK: {{^[}]}}
__global__ void gradientOfSearch(const float *x, float *dx, float *y, float *dy, const float *grid, int n,
                                 float wanted) {
  __enzyme_autodiff((void *)search, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, grid, n, enzyme_const, wanted);
}
