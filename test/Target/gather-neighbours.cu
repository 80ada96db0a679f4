// A thread reads three places; in reverse it gathers what its neighbours have for its own: one addition, and at the edges of
// the launch what nobody gathers. Not where the adjoints may be what is read, are looked at, or are taken by an exchange.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-print-after=gather-neighbours %s -o %t.s 2>&1 | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-print-after=gather-neighbours -mllvm -rg-disable=gather-neighbours %s -o %t.s 2>&1 | FileCheck --allow-empty --check-prefix=OFF %s
#include "rgdevice.h"
extern __device__ int enzyme_seed;

__device__ void row(const float *__restrict__ x, const float *__restrict__ w, float *__restrict__ y, int n) {
  int at = INDEX();
  if (at < 1 || at >= n - 1)
    return;
  y[at] = w[0] * x[at - 1] + w[1] * x[at] + w[2] * x[at + 1];
}

// CHECK-LABEL: define {{.*}}@_Z3one
// CHECK-COUNT-4: atomicrmw fadd ptr
// CHECK-NOT: atomicrmw
// CHECK: {{^}}}
// OFF-NOT: define
__global__ void one(const float *__restrict__ x, float *__restrict__ dx, const float *__restrict__ w, float *__restrict__ y, float *__restrict__ dy, int n) {
  __enzyme_autodiff((void *)row, enzyme_dup, x, dx, enzyme_const, w, enzyme_seed, y, dy, enzyme_const, n);
}
// CHECK-NOT: define {{.*}}@_Z5given
__global__ void given(const float *x, float *dx, const float *w, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)row, enzyme_dup, x, dx, enzyme_const, w, enzyme_seed, y, dy, enzyme_const, n);
}
// CHECK-NOT: define {{.*}}@_Z5taken
__global__ void taken(const float *__restrict__ x, float *__restrict__ dx, const float *__restrict__ w, float *__restrict__ y, float *__restrict__ dy, int n) {
  __enzyme_autodiff((void *)row, enzyme_dup, x, dx, enzyme_const, w, enzyme_dup, y, dy, enzyme_const, n);
}
// CHECK-NOT: define {{.*}}@_Z6looked
__global__ void looked(const float *__restrict__ x, float *__restrict__ dx, const float *__restrict__ w, float *__restrict__ y, float *__restrict__ dy, int n) {
  __enzyme_autodiff((void *)row, enzyme_dup, x, dx, enzyme_const, w, enzyme_seed, y, dy, enzyme_const, n);
  y[INDEX()] = dx[INDEX()];
}
