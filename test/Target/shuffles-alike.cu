// Lanes that shuffle by constants are not asked whether they do it alike; by numbers that only the run knows, they are.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o - | FileCheck %s
#include "rgdevice.h"
// CHECK-LABEL: .entry _Z5known
// CHECK-COUNT-2: shfl.sync.bfly
// CHECK-NOT: vote.sync.all
// CHECK-NOT: shfl.sync.idx
// CHECK: ret
__device__ void halves(const float *__restrict__ x, float *__restrict__ y) {
  y[THREAD()] = __nvvm_shfl_sync_bfly_f32(~0u, x[THREAD()] * x[THREAD()], 16, 0x1f);
}
// CHECK-LABEL: .entry _Z5asked
// CHECK: vote.sync.all
__device__ void some(const float *__restrict__ x, float *__restrict__ y, int d) {
  y[THREAD()] = __nvvm_shfl_sync_bfly_f32(~0u, x[THREAD()] * x[THREAD()], d, 0x1f);
}
__global__ void known(const float *x, float *dx, float *y, float *dy) {
  __enzyme_autodiff((void *)halves, enzyme_dup, x, dx, enzyme_dup, y, dy);
}
__global__ void asked(const float *x, float *dx, float *y, float *dy, int d) {
  __enzyme_autodiff((void *)some, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, d);
}
