// Four iterations of a reverse loop take their adjoints from memory before the first of them adds to others.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o - | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-disable=several-at-once %s -o - | FileCheck --check-prefix=OFF %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-disable=loads-first %s -o - | FileCheck --check-prefix=LATE %s
#include "rgdevice.h"

// CHECK-LABEL: .entry _Z3row
// CHECK: atom.global.exch
// CHECK: red.relaxed.gpu.global.add
// CHECK-COUNT-4: atom.global.exch
// CHECK-NOT: atom
// CHECK-COUNT-4: red.relaxed.gpu.global.add
// OFF-LABEL: .entry _Z3row
// OFF: atom.global.exch
// OFF-NOT: atom.global.exch
// OFF: red.relaxed.gpu.global.add
// OFF: .entry _Z5given
// LATE-LABEL: .entry _Z3row
// LATE: atom.global.exch
// LATE: red.relaxed.gpu.global.add
// LATE: atom.global.exch
// LATE: red.relaxed.gpu.global.add
// LATE: atom.global.exch
__device__ void squares(const double *__restrict__ x, double *__restrict__ y, int n) {
  unsigned long row = INDEX() / 32;
  for (int i = THREAD() % 32; i < n; i += 32)
    y[row * n + i] = x[row * n + i] * x[row * n + i];
}
__global__ void row(const double *__restrict__ x, double *__restrict__ dx, double *__restrict__ y, double *__restrict__ dy,
                    int n) {
  __enzyme_autodiff((void *)squares, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}

// What is added to may be what is taken next.
// CHECK-LABEL: .entry _Z5given
// CHECK: atom.global.exch
// CHECK-NOT: atom
// CHECK: red.relaxed.gpu.global.add
__global__ void given(const double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)squares, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}

// So do four iterations that load what the primal loaded, and take nothing.
// CHECK-LABEL: .entry _Z3sum
// CHECK: red.relaxed.gpu.global.add
// CHECK-COUNT-4: ld.global
// CHECK-NOT: ld.global
// CHECK-COUNT-4: red.relaxed.gpu.global.add
__device__ void energy(const double *__restrict__ x, double *__restrict__ y, int n) {
  unsigned long row = INDEX() / 32;
  double sum = 0;
  for (int i = THREAD() % 32; i < n; i += 32)
    sum += x[row * n + i] * x[row * n + i];
  y[INDEX()] = sum;
}
__global__ void sum(const double *__restrict__ x, double *__restrict__ dx, double *__restrict__ y, double *__restrict__ dy,
                    int n) {
  __enzyme_autodiff((void *)energy, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
