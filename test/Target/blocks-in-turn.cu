// A block for each row, and weights that all rows have in common: some blocks do the work of all, and add up what is for
// the first 1,024 weights in shared memory until their last turn is over. Not where a thread may end while others wait for
// each other, blocks may wait for other blocks, or the weights' adjoints are looked at.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -fno-discard-value-names -mllvm -rg-print-after=blocks-in-turn %s -o %t.s 2>&1 | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-print-after=blocks-in-turn -mllvm -rg-disable=blocks-in-turn %s -o %t.s 2>&1 | FileCheck --allow-empty --check-prefix=OFF %s
#include "rgdevice.h"

__device__ void scaled(const float *__restrict__ w, const float *__restrict__ x, float *__restrict__ y, int n) {
  const float *mine = x + size_t(__nvvm_read_ptx_sreg_ctaid_x()) * n;
  BARRIER();
  for (int i = THREAD(); i < n; i += 128)
    y[size_t(__nvvm_read_ptx_sreg_ctaid_x()) * n + i] = mine[i] * mine[i] * w[i];
}

// CHECK-LABEL: define {{.*}}@_Z4rows
// CHECK: rg.turns.entry:
// CHECK: %[[MINE:.*]] = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
// CHECK: %[[ALL:.*]] = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
// CHECK: %rg.turns.workers = call i32 @llvm.umin.i32(i32 %[[ALL]],
// CHECK: icmp ult i32 %[[MINE]], %rg.turns.workers
// CHECK: rg.turns.clear:
// CHECK: store float 0.000000e+00, ptr addrspace(3)
// CHECK: call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
// CHECK: rg.turns.turn:
// CHECK-NEXT: %rg.turns.block = phi i32 [ %[[MINE]],
// CHECK: icmp ult i64 %{{.*}}, 1024
// CHECK: atomicrmw fadd ptr addrspace(3)
// CHECK: atomicrmw fadd ptr %
// CHECK: rg.turns.next:
// CHECK-NEXT: call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
// CHECK-NEXT: add i32 %rg.turns.block, %rg.turns.workers
// CHECK: rg.turns.add:
// CHECK: load float, ptr addrspace(3)
// CHECK: getelementptr float, ptr %dw,
// CHECK-NEXT: atomicrmw fadd
// OFF-NOT: define
__global__ void rows(const float *__restrict__ w, float *__restrict__ dw, const float *__restrict__ x, float *__restrict__ dx, float *__restrict__ y, float *__restrict__ dy, int n) {
  __enzyme_autodiff((void *)scaled, enzyme_dup, w, dw, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}

// CHECK-NOT: define {{.*}}@_Z5early
__global__ void early(const float *__restrict__ w, float *__restrict__ dw, const float *__restrict__ x, float *__restrict__ dx, float *__restrict__ y, float *__restrict__ dy, int n, int m) {
  if (int(THREAD()) >= m)
    return;
  __enzyme_autodiff((void *)scaled, enzyme_dup, w, dw, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}

// CHECK-NOT: define {{.*}}@_Z5waits
__global__ void waits(const float *__restrict__ w, float *__restrict__ dw, const float *__restrict__ x, float *__restrict__ dx, float *__restrict__ y, float *__restrict__ dy, int n, volatile int *flag) {
  while (!*flag)
    ;
  __enzyme_autodiff((void *)scaled, enzyme_dup, w, dw, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}

// CHECK-NOT: define {{.*}}@_Z6looked
__global__ void looked(const float *__restrict__ w, float *__restrict__ dw, const float *__restrict__ x, float *__restrict__ dx, float *__restrict__ y, float *__restrict__ dy, int n) {
  __enzyme_autodiff((void *)scaled, enzyme_dup, w, dw, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
  y[0] = dw[n];
}

// CHECK-NOT: define {{.*}}@_Z5given
__global__ void given(const float *w, float *dw, const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)scaled, enzyme_dup, w, dw, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
