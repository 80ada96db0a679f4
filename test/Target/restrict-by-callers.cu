// A function whose parameters may overlap is differentiated as if they did not where the kernel around hands on restrict
// parameters, each once: nothing is kept. Parameters that lead to one array, and those of a kernel without restrict, are
// as before.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o %t.s -mllvm -rg-print-plan 2>&1 | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O0 -S %s -o %t.s -mllvm -rg-print-plan 2>&1 | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S %s -o %t.s -mllvm -rg-print-plan -mllvm -rg-disable=restrict-by-callers 2>&1 | FileCheck %s --check-prefix=OFF
#include "rgdevice.h"
// OFF-NOT: plan for rg.primal.rg.disjoint
// CHECK-LABEL: plan for rg.primal.rg.disjoint._Z5first
// CHECK-NOT: per iteration
// CHECK-LABEL: plan for rg.primal._Z6second
// CHECK: per iteration
// CHECK-LABEL: plan for rg.primal._Z5third
// CHECK: per iteration
#define FUNCTION(NAME)                                                                                                 \
  __device__ void NAME(const double *x, double *y, int n) {                                                            \
    for (int i = THREAD(); i < n; i += 64)                                                                             \
      y[i] = x[i] * x[i];                                                                                              \
  }
FUNCTION(first)
FUNCTION(second)
FUNCTION(third)
__global__ void apart(const double *__restrict__ x, double *__restrict__ dx, double *__restrict__ y,
                      double *__restrict__ dy, int n, const int *others) {
  __enzyme_autodiff((void *)first, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
__global__ void one(double *__restrict__ x, double *__restrict__ dx, int n) {
  __enzyme_autodiff((void *)second, enzyme_dup, x, dx, enzyme_dup, x + n, dx + n, enzyme_const, n);
}
__global__ void any(const double *x, double *dx, double *y, double *dy, int n) {
  __enzyme_autodiff((void *)third, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
}
