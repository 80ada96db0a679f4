// Additions of one thread to floats side by side: four or two at a time from sm_90 on, where
// the address is a multiple of their size, one by one elsewhere. Not across a barrier. To
// doubles, for which there is no such instruction, two lanes add together: in code that adds
// much, -rg-gpu-share-rows says how much.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o - | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_80 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o - | FileCheck --check-prefix=NONE %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o - | FileCheck --check-prefix=NONE %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-disable=gpu-vector-red %s -o - | FileCheck --check-prefix=NONE %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-gpu-share-rows=0 %s -o - | FileCheck --check-prefix=ALONE %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-gpu-share-rows=2 %s -o - | FileCheck --check-prefix=ALONE %s
// NONE: red.relaxed.gpu.global.add.f32
// NONE-NOT: .v{{[24]}}.f32
#include "rgdevice.h"
struct Four { float x, y, z, w; };
struct Seven { float a[7]; };
struct Doubles { double x, y, z, w; };

// CHECK-LABEL: .entry _Z4four
// CHECK: and.b64 [[LOW:%rd[0-9]+]], %rd{{[0-9]+}}, 15;
// CHECK: setp.{{eq|ne}}.b64 {{.*}}[[LOW]], 0
// CHECK-DAG: red.relaxed.gpu.global.add.v4.f32 [%rd{{[0-9]+}}+0], {%r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}, %r{{[0-9]+}}};
// CHECK-DAG: red.relaxed.gpu.global.add.f32 [%rd{{[0-9]+}}+12]
__device__ void ofFour(const Four *x, float *y, const int *index) {
  const Four &f = x[index[INDEX()]];
  y[INDEX()] = f.x * f.y * f.z * f.w;
}
__global__ void four(const Four *x, Four *dx, float *y, float *dy, const int *index) {
  __enzyme_autodiff((void *)ofFour, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, index);
}

// CHECK-LABEL: .entry _Z5seven
// CHECK-DAG: red.relaxed.gpu.global.add.v4.f32 [%rd{{[0-9]+}}+0]
// CHECK-DAG: red.relaxed.gpu.global.add.v2.f32 [%rd{{[0-9]+}}+16]
__device__ void ofSeven(const Seven *x, float *y, const int *index) {
  const Seven &f = x[index[INDEX()]];
  y[INDEX()] = f.a[0] * f.a[1] * f.a[2] * f.a[3] * f.a[4] * f.a[5] * f.a[6];
}
__global__ void seven(const Seven *x, Seven *dx, float *y, float *dy, const int *index) {
  __enzyme_autodiff((void *)ofSeven, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, index);
}

// CHECK-LABEL: .entry _Z7doubles
// CHECK-NOT: red.{{.*}}.v
// CHECK: activemask.b32 [[HERE:%r[0-9]+]];
// CHECK-COUNT-6: shfl.sync.idx.b32 {{.*}}, [[HERE]];
// CHECK-COUNT-2: red.relaxed.gpu.global.add.f64
// ALONE-LABEL: .entry _Z7doubles
// ALONE-NOT: shfl.sync
// ALONE-COUNT-4: red.relaxed.gpu.global.add.f64
__device__ void ofDoubles(const Doubles *x, double *y, const int *index) {
  const Doubles &f = x[index[INDEX()]];
  y[INDEX()] = f.x * f.y * f.z * f.w;
}
__global__ void doubles(const Doubles *x, Doubles *dx, double *y, double *dy, const int *index) {
  __enzyme_autodiff((void *)ofDoubles, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, index);
}

// Two lie on either side of a barrier, in the mirrored order.
// CHECK-LABEL: .entry _Z5apart
// CHECK-NOT: red.{{.*}}.v4
// CHECK: red.relaxed.gpu.global.add.v2.f32
// CHECK-NOT: red.{{.*}}.v4
// CHECK: bar{{.*}}sync
// CHECK-NOT: red.{{.*}}.v4
// CHECK: red.relaxed.gpu.global.add.v2.f32
__device__ void onBothSides(const Four *x, float *y, const int *index) {
  const Four &f = x[index[INDEX()]];
  y[INDEX()] = f.x * f.y;
  __syncthreads();
  y[INDEX() + 1024] = f.z * f.w;
}
__global__ void apart(const Four *x, Four *dx, float *y, float *dy, const int *index) {
  __enzyme_autodiff((void *)onBothSides, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, index);
}
