// A loop that ends early, but has few iterations at most, keeps its numbers in arrays of the kernel's frame: no arena, no
// linked records. Which of several ways was taken is asked again, not kept.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm -fno-discard-value-names -mllvm -rg-disable=gpu-inline -mllvm -rg-print-plan %s -o %t.ll 2>&1 | FileCheck --check-prefix=PLAN %s
// RUN: FileCheck %s <%t.ll
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -emit-llvm -fno-discard-value-names -mllvm -rg-disable=frame-arrays,ask-again -mllvm -rg-print-plan %s -o %t.ll 2>&1 | FileCheck --check-prefix=APART %s
// RUN: %rgcxx -x hip --offload-arch=gfx90a -nogpuinc -nogpulib --cuda-device-only -I%root/test/include -O2 -S %s -o %t.s
#include "rgdevice.h"
__device__ void ray(const float *__restrict__ x, float *__restrict__ y, int n) {
  float through = 1, sum = 0;
  for (int k = 0; k < 100; ++k) {
    float a = x[k] * 0.5f;
    if (a < 0.1f)
      continue;
    float left = through * (1 - a);
    if (left < 0.01f)
      break;
    sum += through * a * x[k + n];
    through = left;
  }
  y[INDEX()] = sum;
}
// PLAN: scope %for.body: 4 bytes per iteration, arrays in the frame
// PLAN-NEXT: +0 float %through
// PLAN: need predecessor of %cleanup11: recompute
// CHECK-LABEL: define {{.*}}@rg._Z3ray
// CHECK: %tape.frame = alloca [416 x i8]
// CHECK-NOT: rg_tape
// CHECK: ret void
// APART: scope %for.body: {{.*}} bytes per iteration, records
// APART: need predecessor of %cleanup11: keep
__global__ void gradient(const float *x, float *dx, float *y, float *dy, int n) {
  __enzyme_autodiff((void *)ray, enzyme_dup, x, dx, enzyme_dup, y, dy, n);
}
