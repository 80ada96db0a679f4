// An iteration that is skipped adds nothing: its way back leads past the arithmetic in front of the condition. Not where
// the other way has zeros, too, or the arithmetic is too little to be worth it.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -fno-discard-value-names -mllvm -rg-print-after=zero-ways %s -o %t.s 2>&1 | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx81 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -fno-discard-value-names -mllvm -rg-print-after=zero-ways -mllvm -rg-disable=zero-ways %s -o %t.s 2>&1 | FileCheck --allow-empty --check-prefix=OFF %s
#include "rgdevice.h"

__device__ void seen(const double *__restrict__ x, const double *__restrict__ w, double *__restrict__ y, int n) {
  double at = INDEX(), sum = 0;
  for (int k = 0; k < n; ++k) {
    double a = x[3 * k] - at, b = x[3 * k + 1] - at;
    double power = x[3 * k + 2] * a * a - a * b * b;
    if (power > 0)
      continue;
    sum += power * w[k];
  }
  y[INDEX()] = sum;
}

// CHECK-LABEL: define {{.*}}@_Z3sum
// CHECK: [[MUCH:[a-z.0-9A-Z_]+]]:
// CHECK: {{^}}[[PAST:[a-z.0-9A-Z_]+]].past:
// CHECK-NEXT: phi double [ %{{.*}}, %[[PAST]] ], [ -0.000000e+00, %
// OFF-NOT: define
__global__ void sum(const double *__restrict__ x, double *__restrict__ dx, const double *__restrict__ w, double *__restrict__ dw, double *__restrict__ y, double *__restrict__ dy, int n) {
  __enzyme_autodiff((void *)seen, enzyme_dup, x, dx, enzyme_dup, w, dw, enzyme_dup, y, dy, enzyme_const, n);
}

__device__ void little(const double *__restrict__ x, const double *__restrict__ w, double *__restrict__ y, int n) {
  double sum = 0;
  for (int k = 0; k < n; ++k) {
    if (x[k] > 0)
      continue;
    sum += x[k] * w[k];
  }
  y[INDEX()] = sum;
}
// CHECK-NOT: define {{.*}}@_Z4less
__global__ void less(const double *__restrict__ x, double *__restrict__ dx, const double *__restrict__ w, double *__restrict__ dw, double *__restrict__ y, double *__restrict__ dy, int n) {
  __enzyme_autodiff((void *)little, enzyme_dup, x, dx, enzyme_dup, w, dw, enzyme_dup, y, dy, enzyme_const, n);
}
