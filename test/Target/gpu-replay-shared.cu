// A shared array that every iteration fills anew is filled again by the reverse sweep,
// between two barriers, and not kept; -rg-disable=gpu-replay-shared keeps what was read. Lanes
// that add to one place of the block add up first, which -rg-disable=gpu-merge leaves out.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm -mllvm -rg-print-plan %s -o %t.ll 2>&1 | FileCheck --check-prefix=PLAN %s
// RUN: FileCheck --check-prefix=CODE %s < %t.ll
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm -mllvm -rg-print-plan -mllvm -rg-disable=gpu-replay-shared -mllvm -rg-disable=gpu-merge %s -o %t.ll 2>&1 | FileCheck --check-prefix=KEPT %s
// RUN: FileCheck --check-prefix=APART %s < %t.ll
// RUN: %rgcxx -x hip --offload-arch=gfx90a -nogpuinc -nogpulib --cuda-device-only -I%root/test/include -O2 -S %s -o %t.s
#include "rgdevice.h"
__device__ void f(const float *__restrict__ x, float *__restrict__ y, int n) {
  __shared__ float tile[64];
  int t = THREAD();
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) {
    BARRIER();
    tile[t] = x[64 * k + t];
    BARRIER();
#pragma unroll 1
    for (int j = 0; j < 64; ++j)
      sum += tile[j] * tile[j];
  }
  y[t] = sum;
}
// PLAN: plan for
// PLAN-NOT: bytes per iteration
// PLAN-NOT: : keep
// KEPT: float %
// KEPT: : keep
// CODE: call {{.*}}@rg_peers
// CODE: shfl.sync
// APART-NOT: @rg_peers
__global__ void gradient(const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}

// Filled under a condition: again where it does not come to hold later, else kept.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm -mllvm -rg-print-plan -DCOUNT="min(64, n - k)" %s -o %t.ll 2>&1 | FileCheck --check-prefix=SHORT %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm -mllvm -rg-print-plan -DCOUNT="6 + k" %s -o %t.ll 2>&1 | FileCheck --check-prefix=LONG %s
#ifdef COUNT
__device__ int min(int a, int b) { return a < b ? a : b; }
__device__ void g(const float *__restrict__ x, float *__restrict__ y, int n) {
  __shared__ float tile[64];
  int t = THREAD();
  float sum = 0;
  for (int k = 0; k < n; k += 64) {
    BARRIER();
    if (t < COUNT)
      tile[t] = x[k + t];
    BARRIER();
#pragma unroll 1
    for (int j = 0; j < 64; ++j)
      sum += tile[j] * tile[j];
  }
  y[t] = sum;
}
// SHORT: plan for rg.primal._Z1g
// SHORT-NOT: bytes per iteration
// SHORT-NOT: : keep
// LONG: plan for rg.primal._Z1g
// LONG: bytes per iteration
__global__ void gradientOfG(const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)g, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}
#endif
