// Several sums in a row: all that is read is read before the first of them is written.
// A place that may have been written just now stays behind its store.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o - | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-disable=loads-first %s -o - | FileCheck --check-prefix=OFF %s
#include "rgdevice.h"

// CHECK-LABEL: .entry _Z5three
// CHECK-NOT: st.global
// CHECK-COUNT-4: ld.global
// CHECK: st.global
// CHECK: st.global
// CHECK: st.global
// OFF-LABEL: .entry _Z5three
// OFF: st.global
// OFF: ld.global
// OFF: st.global
__device__ void addThree(const double *__restrict__ x, double *__restrict__ y, unsigned n) {
  unsigned i = INDEX();
  double d = x[i];
  y[i] += d * d;
  y[i + 4096] += 2 * d;
  y[i + 8192] += 3 * d;
}
__global__ void three(const double *x, double *dx, double *y, double *dy, unsigned n) {
  __enzyme_autodiff((void *)addThree, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}

// CHECK-LABEL: .entry _Z4meet
// CHECK: st.global
// CHECK: ld.global
// CHECK: st.global
__device__ void mayMeet(const double *__restrict__ x, double *__restrict__ y, unsigned n) {
  unsigned i = INDEX();
  double d = x[i];
  y[i] += d * d;
  y[i + n] += 2 * d;
}
__global__ void meet(const double *x, double *dx, double *y, double *dy, unsigned n) {
  __enzyme_autodiff((void *)mayMeet, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
