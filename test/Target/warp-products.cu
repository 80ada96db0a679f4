// Additions of 32 products, whose one factor a loop leaves as it is, to places that a warp has in common: the factors that
// stay are turned once, in front of the loop, and an iteration multiplies instead of exchanging.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-print-after=warp-products %s -o %t.s 2>&1 | FileCheck %s
// RUN: FileCheck --check-prefix=PTX %s <%t.s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-disable=warp-products %s -o - | FileCheck --check-prefix=OFF %s
#include "rgdevice.h"

// CHECK-LABEL: define {{.*}}@rg._Z5tiles
// CHECK-NOT: call {{.*}}@rg_merge_shared_f32(
// CHECK: call {{.*}}@rg_product_shared_f32x32(
// CHECK-NOT: call {{.*}}@rg_merge_shared_f32(
// CHECK: call {{.*}}@rg_turned_f32x32(
// PTX-LABEL: .entry _Z7ofTiles
// PTX-COUNT-80: shfl.sync.bfly
// PTX-NOT: shfl.sync.bfly
// PTX-COUNT-8: ld.shared.v4
// PTX-NOT: shfl.sync.bfly
// PTX: ret;
// OFF-LABEL: .entry _Z7ofTiles
// OFF-NOT: rg_factors
// OFF-COUNT-31: shfl.sync.bfly
// OFF: ret;
__device__ void tiles(const float *__restrict__ x, float *__restrict__ y, int n) {
  __shared__ float tile[16][32];
  float mine[32], sum = 0;
#pragma unroll
  for (int d = 0; d < 32; ++d)
    mine[d] = x[INDEX() * 32 + d];
  for (int k = 0; k < 2; ++k)
    tile[k * 8 + (THREAD() >> 5)][THREAD() & 31] = x[256 * k + THREAD()];
  BARRIER();
#pragma unroll 1
  for (int j = 0; j < n; ++j) {
    float dot = 0;
#pragma unroll
    for (int d = 0; d < 32; ++d)
      dot += mine[d] * tile[j][d];
    sum += dot * dot;
  }
  y[INDEX()] = sum;
}
__global__ void ofTiles(const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)tiles, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}

// CHECK-LABEL: define {{.*}}@rg._Z4rows
// CHECK: call {{.*}}@rg_product_places_f32x32(
// CHECK: call {{.*}}@rg_turned_f32x32(
// PTX-LABEL: .entry _Z6ofRows
// PTX: red.relaxed.gpu.global.add.f32
__device__ void rows(const float *__restrict__ w, const float *__restrict__ x, float *__restrict__ y, int n) {
  float mine[32], sum = 0;
#pragma unroll
  for (int d = 0; d < 32; ++d)
    mine[d] = x[INDEX() * 32 + d];
#pragma unroll 1
  for (int j = 0; j < n; ++j) {
    float dot = 0;
#pragma unroll
    for (int d = 0; d < 32; ++d)
      dot += mine[d] * w[j * 32 + d];
    sum += dot * dot;
  }
  y[INDEX()] = sum;
}
__global__ void ofRows(const float *w, float *dw, const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)rows, enzyme_dup, w, dw, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}

// Two in an iteration hand out their numbers together.
// CHECK-LABEL: define {{.*}}@rg._Z4both
// CHECK-NOT: call {{.*}}@rg_product_
// CHECK: call {{.*}}@rg_products_shared_f32x32(
// CHECK-NOT: call {{.*}}@rg_product_
// CHECK: call {{.*}}@rg_turned_f32x32(
__device__ void both(const float *__restrict__ x, float *__restrict__ y, int n) {
  __shared__ float keys[16][32], values[16][32];
  float mine[32], sum[32];
#pragma unroll
  for (int d = 0; d < 32; ++d)
    mine[d] = x[INDEX() * 32 + d], sum[d] = 0;
  for (int k = 0; k < 2; ++k) {
    keys[k * 8 + (THREAD() >> 5)][THREAD() & 31] = x[256 * k + THREAD()];
    values[k * 8 + (THREAD() >> 5)][THREAD() & 31] = x[256 * k + THREAD() + 1024];
  }
  BARRIER();
#pragma unroll 1
  for (int j = 0; j < n; ++j) {
    float dot = 0;
#pragma unroll
    for (int d = 0; d < 32; ++d)
      dot += mine[d] * keys[j][d];
#pragma unroll
    for (int d = 0; d < 32; ++d)
      sum[d] += dot * dot * values[j][d];
  }
#pragma unroll
  for (int d = 0; d < 32; ++d)
    y[INDEX() * 32 + d] = sum[d];
}
__global__ void ofBoth(const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)both, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}

// All numbers are the iteration's: nothing stays.
// CHECK-NOT: after warp-products
// PTX-LABEL: .entry _Z9ofChanges
// PTX-NOT: rg_factors
// PTX: shfl.sync.bfly
// PTX-NOT: rg_factors
// PTX: ret;
__device__ void changes(const float *__restrict__ w, const float *__restrict__ x, float *__restrict__ y, int n) {
  float sum = 0;
#pragma unroll 1
  for (int j = 0; j < n; ++j) {
    float dot = 0;
#pragma unroll
    for (int d = 0; d < 32; ++d)
      dot += x[(j * 32 + d) * 1024 + INDEX()] * w[j * 32 + d];
    sum += dot * dot;
  }
  y[INDEX()] = sum;
}
__global__ void ofChanges(const float *w, float *dw, const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)changes, enzyme_dup, w, dw, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}
