// A short recurrence of a constant count has no loop on a GPU, so that registers keep it; a sum has one, and so have a
// recurrence that keeps too much, and one in another loop.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o %t.s -mllvm -rg-print-after=unroll-recurrences 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o %t.off.s -mllvm -rg-disable=unroll-recurrences
// RUN: FileCheck %s --check-prefix=OFF --input-file=%t.off.s
#include "rgdevice.h"
// CHECK: ; after unroll-recurrences
// CHECK-LABEL: @rg.primal._Z4livePKdPd(
// CHECK-COUNT-32: fmul contract double %{{.*}}, 5.000000e-03
// CHECK-NOT: br i1
// CHECK: ret void
// CHECK-NOT: ; after unroll-recurrences
// PTX: .entry _Z8gradient
// PTX-NOT: st.local
// PTX: .entry _Z6others
// OFF: .entry _Z8gradient
// OFF: st.local
// OFF: .entry _Z6others
__device__ void live(const double *__restrict__ rate, double *__restrict__ state) {
  int i = INDEX();
  double x = state[2 * i], y = state[2 * i + 1], r = rate[i];
  for (int k = 0; k < 16; ++k) {
    double eaten = x * y;
    x += 0.005 * (r * x - eaten);
    y += 0.005 * (eaten - 0.8 * y);
  }
  state[2 * i] = x;
  state[2 * i + 1] = y;
}
__device__ void sums(const double *__restrict__ x, double *__restrict__ y) {
  double s = 1;
  for (int k = 0; k < 32; ++k)
    s += x[k] * x[k];
  y[INDEX()] = s;
}
__device__ void longer(const double *__restrict__ x, double *__restrict__ y) {
  double s = x[0];
  for (int k = 0; k < 60; ++k)
    s = s * s + x[k];
  y[INDEX()] = s;
}
__device__ void inner(const double *__restrict__ x, double *__restrict__ y, int n) {
  double s = x[0];
  for (int i = 0; i < n; ++i)
#pragma unroll 1
    for (int k = 0; k < 8; ++k)
      s = s * s + x[k];
  y[INDEX()] = s;
}
__global__ void gradient(const double *x, double *dx, double *y, double *dy) {
  __enzyme_autodiff((void *)live, enzyme_dup, x, dx, enzyme_dup, y, dy);
}
__global__ void others(const double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)sums, enzyme_dup, x, dx, enzyme_dup, y, dy);
  __enzyme_autodiff((void *)longer, enzyme_dup, x, dx, enzyme_dup, y, dy);
  __enzyme_autodiff((void *)inner, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
