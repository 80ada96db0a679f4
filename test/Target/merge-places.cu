// Additions to global memory where the warp probably has one place, to places that are a constant apart, are done
// eight or four at a time: past additions to other places, which fall into two halves of code, but not past what reads
// there. Two to one place become one.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -mllvm -rg-disable=gpu-inline -mllvm -rg-disable=merge-in-line -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o - | FileCheck --check-prefix=PTX %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -mllvm -rg-disable=gpu-inline -S -emit-llvm -mllvm -rg-disable=merge-places %s -o - | FileCheck --check-prefix=APART %s
// RUN: %rgcxx -x hip --offload-arch=gfx90a -nogpuinc -nogpulib --cuda-device-only -I%root/test/include -O2 -S %s -o %t.s
#include "rgdevice.h"

// Nine weights for each c: eight together, one alone.
__device__ void weights(const float *__restrict__ w, const float *__restrict__ x, float *__restrict__ y, int n) {
  float sum = 0;
  for (int c = 0; c < n; ++c)
#pragma unroll
    for (int k = 0; k < 9; ++k)
      sum += w[c * 9 + k] * x[(c * 9 + k) * 256 + THREAD()];
  y[INDEX()] = sum;
}
// CHECK-LABEL: define {{.*}}@rg._Z7weights
// CHECK-COUNT-1: call {{.*}}@rg_merge_places_f32x8(ptr {{.*}}, <8 x i32> <i32 0, i32 4, i32 8, i32 12, i32 16, i32 20, i32 24, i32 28>
// CHECK-NOT: @rg_merge_places
// CHECK: call {{.*}}@rg_merge_f32(
// PTX: .func{{.*}}rg_merge_places_f32x8
// PTX: shfl.sync.bfly
// APART-NOT: rg_merge_places
__global__ void gradient(const float *w, float *dw, const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)weights, enzyme_dup, w, dw, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}

// A weight for each row: neighbours probably share it.
__device__ void ofRows(const float *__restrict__ w, const float *__restrict__ x, float *__restrict__ y, int count, int length) {
  int i = INDEX();
  if (i < count)
    y[i] = w[i / length] * x[i];
}
// CHECK-LABEL: define {{.*}}@rg._Z6ofRows
// CHECK: call {{.*}}@rg_merge_f32(
__global__ void gradientOfRows(const float *w, float *dw, const float *x, float *dx, float *y, float *dy, int count, int length) {
  __enzyme_autodiff((void *)ofRows, enzyme_dup, w, dw, enzyme_dup, x, dx, enzyme_dup, y, dy, count, length);
}
