// What can be made again takes no tape on a GPU: what a branch chose, a small array
// that each iteration fills anew, how often a loop ran. Each has a switch. (Deferred loops keep some of it in registers.)
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-print-plan -mllvm -rg-disable=defer-loops -emit-llvm %s -o %t.ll 2>&1 | FileCheck --check-prefix=PLAN %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-print-plan -mllvm -rg-disable=defer-loops -mllvm -rg-disable=gpu-select -emit-llvm %s -o %t.ll 2>&1 | FileCheck --check-prefix=SELECT %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-print-plan -mllvm -rg-disable=defer-loops -mllvm -rg-disable=gpu-replay -emit-llvm %s -o %t.ll 2>&1 | FileCheck --check-prefix=REPLAY %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-print-plan -mllvm -rg-disable=defer-loops -mllvm -rg-disable=gpu-counts -emit-llvm %s -o %t.ll 2>&1 | FileCheck --check-prefix=COUNTS %s
#include "rgdevice.h"
__device__ void f(const double *__restrict__ x, double *__restrict__ y, const int *__restrict__ starts,
                  const int *__restrict__ ends, const int *__restrict__ kinds, int n) {
  int i = INDEX();
  double s = 0;
  for (int k = 0; k < n; ++k) {
    double factor[3] = {x[k] * x[k], x[k] + 2, x[k] * 3};
    for (int j = starts[k]; j < ends[k]; ++j) {
      double d = x[j] - x[i];
      double w;
      if (d > 0.5)
        w = d / (1 + d * d);
      else
        w = d * d * (1 - d) / (x[j] * x[j] + 3);
      s += factor[kinds[j]] * w * w;
    }
  }
  y[i] = s;
}
// CHECK-LABEL: define {{.*}}ptx_kernel void @_Z8gradient
// CHECK-NOT: rg_tape_alloc
// PLAN: plan for
// PLAN-NOT: bytes per iteration
// PLAN-NOT: : keep
// PLAN: need
// PLAN-NOT: : keep
// SELECT: bytes per iteration
// SELECT: double
// REPLAY: bytes per iteration
// REPLAY: double
// COUNTS: i64 count of
__global__ void gradient(const double *x, double *dx, double *y, double *dy, const int *starts, const int *ends,
                         const int *kinds, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, starts, enzyme_const, ends,
                    enzyme_const, kinds, n);
}
