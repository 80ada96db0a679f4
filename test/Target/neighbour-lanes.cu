// Lanes side by side that add to places side by side hand on what goes to a place of the next lane. Places are found
// side by side where the address has the lane's number once: through the remainders of images, in rounds over the
// grid; not where each thread has places of its own, or where an index was loaded. Past reads of other memory, not past
// what reads there.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -mllvm -rg-disable=gpu-inline -mllvm -rg-disable=merge-in-line -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o - | FileCheck --check-prefix=PTX %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-disable=neighbour-lanes %s -o - | FileCheck --check-prefix=APART %s
// RUN: %rgcxx -x hip --offload-arch=gfx90a -nogpuinc -nogpulib --cuda-device-only -I%root/test/include -O2 -S %s -o %t.s
#include "rgdevice.h"
// PTX: shfl.sync.up
// APART-NOT: shfl.sync.up

// Additions to weights are done together past those of a row.
// CHECK-LABEL: define {{.*}}@rg._Z7filters
// CHECK: shfl.sync.up.f32
// CHECK: call {{.*}}@rg_merge_places_f32x4
// CHECK-NOT: call {{.*}}@rg_merge_f32(
// CHECK: {{^}}}
__device__ void filters(const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ y, int n) {
  float sum = 0;
  for (int c = 0; c < n; ++c)
    for (int b = 0; b < 4; ++b)
      sum += w[4 * c + b] * x[c * 256 + THREAD() + b];
  y[INDEX()] = sum;
}
__global__ void ofFilters(const float *x, float *dx, const float *w, float *dw, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)filters, enzyme_dup, x, dx, enzyme_dup, w, dw, enzyme_dup, y, dy, n);
}
// A row of three for each c, of an image whose width is v: two handed on, in warps that are one row and in others.
// CHECK-LABEL: define {{.*}}@rg._Z5image
// CHECK-COUNT-4: shfl.sync.up.f32
// CHECK-NOT: shfl.sync.up.f32
__device__ void image(const float *__restrict__ x, float *__restrict__ y, int n, int v) {
  int i = INDEX() / v, j = INDEX() % v;
  float sum = 0;
  for (int c = 0; c < n; ++c)
    for (int b = 0; b < 3; ++b)
      sum += (b + 2.0f) * x[((c * v) + i) * (v + 2) + j + b];
  y[INDEX()] = sum * sum;
}
// CHECK-LABEL: define {{.*}}@rg._Z6points
// CHECK-NOT: shfl.sync.up.f32
// CHECK: {{^}}}
__device__ void points(const float *__restrict__ x, const int *__restrict__ of, float *__restrict__ y) {
  int i = INDEX(), k = of[i];
  y[i] = x[3 * i] * x[3 * i + 1] * x[3 * i + 2] + x[k] * x[k + 1];
}
__global__ void gradient(const float *x, float *dx, const int *of, float *y, float *dy, int n, int v) {
  __enzyme_autodiff((void *)image, enzyme_dup, x, dx, enzyme_dup, y, dy, n, v);
  __enzyme_autodiff((void *)points, enzyme_dup, x, dx, enzyme_const, of, enzyme_dup, y, dy);
}
