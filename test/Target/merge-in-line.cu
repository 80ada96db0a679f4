// What a whole warp probably adds to one place is added up in line: nothing but whether it is one place is asked. Not where
// a function has more than a few such additions.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-print-after=merge-in-line %s -o %t.s 2>&1 | FileCheck %s
// RUN: FileCheck --check-prefix=PTX %s <%t.s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-disable=merge-in-line %s -o - | FileCheck --check-prefix=CALLED %s
#include "rgdevice.h"

// CHECK-LABEL: define {{.*}}@rg._Z3few
// CHECK: call {{.*}}@rg_merge_whole_f32x8(
// CHECK: call {{.*}}@rg_merge_whole_f32(
// PTX-LABEL: .entry _Z5ofFew
// PTX-COUNT-4: shfl.sync.bfly.b32 {{.*}}, 16,
// PTX-COUNT-2: shfl.sync.bfly.b32 {{.*}}, 8,
// PTX: shfl.sync.bfly.b32 {{.*}}, 4,
// PTX: shfl.sync.bfly.b32 {{.*}}, 2,
// PTX: shfl.sync.bfly.b32 {{.*}}, 1,
// PTX: red.relaxed.gpu.global.add.f32
// CALLED-LABEL: .entry _Z5ofFew
// CALLED-NOT: shfl
// CALLED: ret;
__device__ void few(const float *__restrict__ w, const float *__restrict__ x, float *__restrict__ y, int n) {
  float sum = 0;
  for (int c = 0; c < n; ++c)
#pragma unroll
    for (int k = 0; k < 9; ++k)
      sum += w[c * 9 + k] * x[(c * 9 + k) * 256 + THREAD()];
  y[INDEX()] = sum;
}
__global__ void ofFew(const float *w, float *dw, const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)few, enzyme_dup, w, dw, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}
// CHECK-LABEL: define {{.*}}@rg._Z4many
// CHECK-NOT: @rg_merge_whole
__device__ void many(const float *__restrict__ w, const float *__restrict__ x, float *__restrict__ y, int n) {
  float sum = 0;
  for (int c = 0; c < n; ++c)
#pragma unroll
    for (int k = 0; k < 120; ++k)
      sum += w[c * 120 + k] * x[(c * 120 + k) * 256 + THREAD()];
  y[INDEX()] = sum;
}
__global__ void ofMany(const float *w, float *dw, const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)many, enzyme_dup, w, dw, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}
