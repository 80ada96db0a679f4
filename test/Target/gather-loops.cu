// All threads of a block add to one place of a tile in each iteration of a loop: a second loop lets each thread add up what
// all of them add to its places. What a thread tells the others is stored in front of the barrier that is there already,
// which counts whether all are there; else the loop runs as it was.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -fno-discard-value-names -mllvm -rg-print-after=gather-loops %s -o %t.s 2>&1 | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-print-after=gather-loops -mllvm -rg-disable=gather-loops %s -o %t.s 2>&1 | FileCheck --allow-empty --check-prefix=OFF %s
// OFF-NOT: define
#include "rgdevice.h"
struct __attribute__((aligned(16))) four { float x, y, z, w; };

__device__ void bodies(const four *__restrict__ p, float *__restrict__ y, int n) {
  __shared__ four tile[64];
  four mine = p[INDEX()];
  float sum = 0;
  for (int first = 0; first < n; first += 64) {
    tile[THREAD()] = p[first + THREAD()];
    BARRIER();
    for (int j = 0; j < 64; ++j) {
      float a = tile[j].x - mine.x, b = tile[j].y - mine.y, c = tile[j].z - mine.z;
      sum += tile[j].w * __nvvm_rsqrt_approx_f(a * a + b * b + c * c + 0.1f);
    }
    BARRIER();
  }
  y[INDEX()] = sum;
}
// CHECK-LABEL: define {{.*}}@_Z8ofBodies
// CHECK: %[[ROOM:.*]] = icmp ule i32 %{{.*}}, 128
// CHECK: store float %{{.*}}, ptr addrspace(3) %{{.*}}, align 16
// CHECK: %[[HERE:.*]] = call i32 @llvm.nvvm.barrier.cta.red.popc.aligned.all(i32 0, i1 true)
// CHECK: %[[ALL:.*]] = icmp eq i32 %[[HERE]]
// CHECK: %[[WHOLE:.*]] = and i1 %{{.*}}, %[[ALL]]
// CHECK: br i1 %[[WHOLE]], label %[[BARE:.*]], label %[[AS:.*]]
// CHECK: [[AS]]:
// CHECK: call void @rg_merge_f32x4
// CHECK: [[BARE]]:
// CHECK-NOT: rg_merge
// CHECK: br i1
// CHECK: rg.thread:
// CHECK-COUNT-4: call {{.*}}@llvm.nvvm.rsqrt.approx.f
// CHECK: rg.add:
// CHECK-COUNT-4: atomicrmw fadd ptr
// CHECK-NOT: atomicrmw
// CHECK: br i1
__global__ void ofBodies(const four *p, four *dp, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)bodies, enzyme_dup, p, dp, enzyme_dup, y, dy, enzyme_const, n);
}

// What is added depends on numbers that nobody else can read: not here, nor where the loop ends when the data says so.
__device__ void own(const float *__restrict__ x, float *__restrict__ y) {
  __shared__ float tile[64];
  tile[THREAD()] = x[THREAD()];
  BARRIER();
  float sum = 0;
  for (int j = 0; j < 64; ++j)
    sum += tile[j] * x[64 * j + THREAD()];
  BARRIER();
  y[THREAD()] = sum;
}
// CHECK-NOT: define {{.*}}@_Z5ofOwn
__global__ void ofOwn(const float *x, float *dx, float *y, float *dy) {
  __enzyme_autodiff((void *)own, enzyme_dup, x, dx, enzyme_dup, y, dy);
}
__device__ void some(const float *__restrict__ x, float *__restrict__ y, int n) {
  __shared__ float tile[64];
  float mine = x[THREAD()];
  tile[THREAD()] = mine;
  BARRIER();
  float sum = 0;
  for (int j = 0; j < n; ++j)
    sum += tile[j] * tile[j] * mine;
  BARRIER();
  y[THREAD()] = sum;
}
// CHECK-NOT: define {{.*}}@_Z6ofSome
__global__ void ofSome(const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)some, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
