// A thread's own memory has plain additions; -rg-disable=gpu-plain leaves the question to what comes
// later: what the inlined code shows, or the run time. What other threads may have is atomic.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -fno-unroll-loops -S -mllvm -rg-disable=gpu-red -emit-llvm %s -o - | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -fno-unroll-loops -S -mllvm -rg-disable=gpu-red -mllvm -rg-disable=gpu-plain -mllvm -rg-print-derivative -emit-llvm %s -o %t.ll 2>&1 | FileCheck --check-prefix=ATOMIC %s
// RUN: FileCheck %s < %t.ll
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-disable=gpu-red -mllvm -rg-disable=gpu-inline -emit-llvm %s -o - | FileCheck --check-prefix=APART %s
// RUN: %rgcxx -x hip --offload-arch=gfx90a -nogpuinc -nogpulib --cuda-device-only -I%root/test/include -O2 -S %s -o %t.s
#include "rgdevice.h"
__device__ void f(const double *x, double *y, int n) {
  int i = INDEX();
  double a[16];
  for (int k = 0; k < 16; ++k)
    a[k] = x[(i + k) % n];
  double s = 0;
  for (int k = 0; k < n; ++k)
    s += a[(k * i) % 16] * a[k % 16];
  y[i] = s;
}
// CHECK-LABEL: define {{.*}}ptx_kernel void @_Z8gradient
// CHECK: atomicrmw fadd ptr %{{[0-9]+}}, double %{{[0-9]+}} monotonic
// CHECK-NOT: atomicrmw fadd
// CHECK: ret void
// ATOMIC-COUNT-3: call void @rg_accumulate_f64
// APART: call {{.*}}void @rg._Z1fPKdPdi.grad
__global__ void gradient(const double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}
