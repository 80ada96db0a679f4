// Which loads the reverse sweep may repeat. Where a barrier lies between a load and a
// store behind it, the store is another thread's, too.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-print-overwrite %s -o %t.ptx 2>&1 | FileCheck %s
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O2 -S -mllvm -rg-disable=gpu-phases -mllvm -rg-print-overwrite %s -o %t.ptx 2>&1 | FileCheck --check-prefix=ALL %s
#include "rgdevice.h"

// Thread i reads x[i] and writes y[i] behind it: nobody else touches either.
// CHECK-LABEL: overwrite in rg.primal._Z5apart
// CHECK: repeatable {{.*}} load double
// ALL-LABEL: overwrite in rg.primal._Z5apart
// ALL: overwritten {{.*}} load double
__device__ void apart(double *x) {
  int i = INDEX();
  double a = x[2 * i];
  x[2 * i + 1] = a * a;
}
// The neighbour writes what this thread has read.
// CHECK-LABEL: overwrite in rg.primal._Z8together
// CHECK: overwritten {{.*}} load double
__device__ void together(double *x) {
  int i = INDEX();
  double a = x[2 * i];
  BARRIER();
  x[2 * i + 1] = a * a;
}
__global__ void gradient(double *x, double *dx) {
  __enzyme_autodiff((void *)apart, enzyme_dup, x, dx);
  __enzyme_autodiff((void *)together, enzyme_dup, x, dx);
}
