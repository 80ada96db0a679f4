// On a device, the assignment of a struct of numbers is a load and a store for each of them. Structs with padding, long ones
// and those on the host stay copies.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o %t.s -mllvm -rg-print-after=spell-struct-moves 2>&1 | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o %t.s -mllvm -rg-print-after=spell-struct-moves -mllvm -rg-disable=spell-struct-moves 2>&1 | FileCheck --allow-empty --check-prefix=OFF %s
// OFF-NOT: define
#include "rgdevice.h"
struct __attribute__((aligned(16))) body { float x, y, z; int kind; };
struct padded { double x; float y; };
struct many { float x[32]; };

// CHECK: ; after spell-struct-moves
// CHECK-LABEL: @rg.primal._Z4move
// CHECK-NOT: memcpy
// CHECK-COUNT-3: load float, ptr
// CHECK: load i32, ptr
// CHECK-COUNT-3: store float %
// CHECK: store i32 %
__device__ void move(const body *__restrict__ p, body *__restrict__ q) { q[INDEX()] = p[INDEX() + 1]; }
__global__ void ofMove(const body *p, body *dp, body *q, body *dq) {
  __enzyme_autodiff((void *)move, enzyme_dup, p, dp, enzyme_dup, q, dq);
}
// CHECK-NOT: @rg.primal._Z7moveGap
__device__ void moveGap(const padded *__restrict__ p, padded *__restrict__ q) { q[INDEX()] = p[INDEX() + 1]; }
__global__ void ofMoveGap(const padded *p, padded *dp, padded *q, padded *dq) {
  __enzyme_autodiff((void *)moveGap, enzyme_dup, p, dp, enzyme_dup, q, dq);
}
// CHECK-NOT: @rg.primal._Z8moveMany
__device__ void moveMany(const many *__restrict__ p, many *__restrict__ q) { q[INDEX()] = p[INDEX() + 1]; }
__global__ void ofMoveMany(const many *p, many *dp, many *q, many *dq) {
  __enzyme_autodiff((void *)moveMany, enzyme_dup, p, dp, enzyme_dup, q, dq);
}
