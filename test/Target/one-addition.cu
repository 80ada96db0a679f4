// Of the two reversed loops over a row, the second adds to the row's adjoints for both: from what the first has read, which
// nothing writes.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-print-after=one-addition %s -o %t.s 2>&1 | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-print-after=one-addition -mllvm -rg-disable=one-addition %s -o %t.s 2>&1 | FileCheck --allow-empty --check-prefix=OFF %s
#include "rgdevice.h"
extern __device__ int enzyme_seed;

__device__ void scaled(const float *__restrict__ x, float *__restrict__ y, int rows, int n) {
  int row = INDEX();
  if (row >= rows)
    return;
  const float *mine = x + size_t(row) * n;
  float *to = y + size_t(row) * n;
  float all = 0;
  for (int i = 0; i < n; ++i)
    all += mine[i] * mine[i];
  for (int i = 0; i < n; ++i)
    to[i] = mine[i] * all;
}

// CHECK-LABEL: define {{.*}}@_Z4once
// CHECK: atomicrmw fadd
// CHECK-NOT: atomicrmw fadd
// OFF-NOT: define
__global__ void once(const float *__restrict__ x, float *__restrict__ dx, float *__restrict__ y, float *__restrict__ dy, int rows, int n) {
  __enzyme_autodiff((void *)scaled, enzyme_dup, x, dx, enzyme_seed, y, dy, enzyme_const, rows, enzyme_const, n);
}

// What is added to may be what is read.
// CHECK-NOT: define {{.*}}@_Z5given
__global__ void given(const float *x, float *dx, float *y, float *dy, int rows, int n) {
  __enzyme_autodiff((void *)scaled, enzyme_dup, x, dx, enzyme_seed, y, dy, enzyme_const, rows, enzyme_const, n);
}

// What is taken by an exchange cannot be taken again.
// CHECK-NOT: define {{.*}}@_Z5taken
__global__ void taken(const float *__restrict__ x, float *__restrict__ dx, float *__restrict__ y, float *__restrict__ dy, int rows, int n) {
  __enzyme_autodiff((void *)scaled, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, rows, enzyme_const, n);
}

// Somebody looks at the adjoints before the second loop.
// CHECK-NOT: define {{.*}}@_Z6looked
__global__ void looked(const float *__restrict__ x, float *__restrict__ dx, float *__restrict__ y, float *__restrict__ dy, int rows, int n) {
  __enzyme_autodiff((void *)scaled, enzyme_dup, x, dx, enzyme_seed, y, dy, enzyme_const, rows, enzyme_const, n);
  y[INDEX()] = dx[INDEX()];
}
