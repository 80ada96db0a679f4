// A block for each output, a loop over the inputs: in reverse the pairs of both are shared out anew, so that what goes to an
// input's adjoint is added up in a register. Not where the adjoints may be what is read, or are looked at.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -fno-discard-value-names -mllvm -rg-print-after=swap-blocks %s -o %t.s 2>&1 | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-print-after=swap-blocks -mllvm -rg-disable=swap-blocks %s -o %t.s 2>&1 | FileCheck --allow-empty --check-prefix=OFF %s
#include "rgdevice.h"
extern __device__ int enzyme_seed;
#define OUT() __nvvm_read_ptx_sreg_ctaid_y()

__device__ void mapped(const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ y, int n, int m) {
  int at = THREAD();
  if (at >= m)
    return;
  float sum = 0;
  for (int c = 0; c < n; ++c)
    sum += w[OUT() * n + c] * x[c * m + at];
  y[size_t(OUT()) * m + at] = sum;
}

// CHECK-LABEL: define {{.*}}@_Z6shared
// CHECK: rg.swap.outer:
// CHECK: phi float
// CHECK: fadd reassoc
// CHECK: call void @rg_merge_whole_f32
// CHECK: rg.swap.next:
// CHECK-NEXT: atomicrmw fadd
// OFF-NOT: define
__global__ void shared(const float *__restrict__ x, float *__restrict__ dx, const float *__restrict__ w, float *__restrict__ dw, float *__restrict__ y, float *__restrict__ dy, int n, int m) {
  __enzyme_autodiff((void *)mapped, enzyme_dup, x, dx, enzyme_dup, w, dw, enzyme_seed, y, dy, enzyme_const, n, enzyme_const, m);
}

// CHECK-NOT: define {{.*}}@_Z5given
__global__ void given(const float *x, float *dx, const float *w, float *dw, float *y, float *dy, int n, int m) {
  __enzyme_autodiff((void *)mapped, enzyme_dup, x, dx, enzyme_dup, w, dw, enzyme_seed, y, dy, enzyme_const, n, enzyme_const, m);
}

// The adjoints that a block starts from are taken by an exchange.
// CHECK-NOT: define {{.*}}@_Z5taken
__global__ void taken(const float *__restrict__ x, float *__restrict__ dx, const float *__restrict__ w, float *__restrict__ dw, float *__restrict__ y, float *__restrict__ dy, int n, int m) {
  __enzyme_autodiff((void *)mapped, enzyme_dup, x, dx, enzyme_dup, w, dw, enzyme_dup, y, dy, enzyme_const, n, enzyme_const, m);
}

// CHECK-NOT: define {{.*}}@_Z6looked
__global__ void looked(const float *__restrict__ x, float *__restrict__ dx, const float *__restrict__ w, float *__restrict__ dw, float *__restrict__ y, float *__restrict__ dy, int n, int m) {
  __enzyme_autodiff((void *)mapped, enzyme_dup, x, dx, enzyme_dup, w, dw, enzyme_seed, y, dy, enzyme_const, n, enzyme_const, m);
  y[INDEX()] = dx[INDEX()];
}
