// What is added to a neighbour's place behind a branch is zero on one way: it is added on the other, beside what was there
// before, and goes out as one vector; whether its place is aligned is asked once, of the parameter. Of the largest of
// several, each gets its adjoint or nothing: zeros are not sent.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o - | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-disable=additions-on-ways %s -o - | FileCheck --check-prefix=OFF %s
#include "rgdevice.h"
struct __attribute__((aligned(16))) four { float x, y, z, w; };

__device__ void density(const int *__restrict__ near, const four *__restrict__ p, float *__restrict__ y) {
  four mine = p[INDEX()], other = p[near[INDEX()]];
  float a = mine.x - other.x, b = mine.y - other.y, c = mine.z - other.z;
  float left = 1 - (a * a + b * b + c * c), sum = 0;
  if (left > 0)
    sum = other.w * left * left;
  y[INDEX()] = sum;
}
// CHECK-LABEL: .entry _Z9ofDensity
// CHECK-NOT: vote.sync
// CHECK: red.relaxed.gpu.global.add.v4.f32
// OFF-LABEL: .entry _Z9ofDensity
// OFF-NOT: add.v4.f32
__global__ void ofDensity(const int *near, const four *__restrict__ p, four *__restrict__ dp, float *y, float *dy) {
  __enzyme_autodiff((void *)density, enzyme_const, near, enzyme_dup, p, dp, enzyme_dup, y, dy);
}

__device__ void largest(const float *__restrict__ x, float *__restrict__ y) {
  y[INDEX()] = __builtin_fmaxf(__builtin_fmaxf(x[2 * INDEX()], x[2 * INDEX() + 1]), x[2 * INDEX() + 2]);
}
// CHECK-LABEL: .entry _Z9ofLargest
// CHECK-COUNT-3: setp.neu.f32 %rgSome
// CHECK: @%rgSome red.relaxed.gpu.global.add.f32
__global__ void ofLargest(const float *x, float *dx, float *y, float *dy) {
  __enzyme_autodiff((void *)largest, enzyme_dup, x, dx, enzyme_dup, y, dy);
}
