// y += x leaves the adjoint of y where it is: neither taken nor added again. Twice y, or
// another place than was read, is another thing.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o - | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-disable=leave-sums %s -o - | FileCheck --check-prefix=OFF %s
#include "rgdevice.h"

// CHECK-LABEL: .entry _Z3sum
// CHECK-NOT: exch
// CHECK: ld.relaxed.gpu.global.b64
// CHECK-NOT: exch
// CHECK: red.
// CHECK-NOT: exch
// CHECK-NOT: red.
// CHECK: ret;
// OFF-LABEL: .entry _Z3sum
// OFF: atom{{.*}}exch
// OFF: red.
// OFF: red.
__device__ void add(const double *__restrict__ x, double *__restrict__ y) {
  y[INDEX()] += x[2 * INDEX()];
}
__global__ void sum(const double *x, double *dx, double *y, double *dy) {
  __enzyme_autodiff((void *)add, enzyme_dup, x, dx, enzyme_dup, y, dy);
}

// CHECK-LABEL: .entry _Z5twice
// CHECK: exch
// CHECK: ret;
__device__ void addTwice(const double *__restrict__ x, double *__restrict__ y) {
  y[INDEX()] = 2 * y[INDEX()] + x[0];
}
__global__ void twice(const double *x, double *y, double *dy) {
  __enzyme_autodiff((void *)addTwice, enzyme_const, x, enzyme_dup, y, dy);
}

// CHECK-LABEL: .entry _Z9elsewhere
// CHECK: exch
// CHECK: red.
__device__ void addToNext(const double *__restrict__ x, double *__restrict__ y) {
  y[INDEX()] = y[INDEX() + 4096] + x[0];
}
__global__ void elsewhere(const double *x, double *y, double *dy) {
  __enzyme_autodiff((void *)addToNext, enzyme_const, x, enzyme_dup, y, dy);
}
