// A deferred loop computes an iteration's sums and its reverse side by side, and its length may be zero. What both read they
// read once, although what is in front of the loop comes to it over the stack.
// RUN: %rgcxx -x cuda --offload-arch=sm_90 --cuda-feature=+ptx80 --cuda-path=%t.none -nocudainc -nocudalib --cuda-device-only -I%root/test/include -O3 -S -emit-llvm %s -o - | FileCheck %s
#include "rgdevice.h"
struct Row {
  double energy, sigma;
};
__device__ void sections(const Row *__restrict__ rows, double *__restrict__ sum, const int *counts, const int *names,
                         const double *densities, const int *where, int width, long grid, double energy) {
  int material = where[INDEX()];
  double total = 0;
  int count = counts[material];
  for (int k = 0; k < count; ++k) {
    int name = names[material * width + k];
    const Row *low = rows + name * grid + where[name], *high = low + 1;
    double part = (high->energy - energy) / (high->energy - low->energy);
    total += densities[material * width + k] * (high->sigma - part * (high->sigma - low->sigma));
  }
  sum[INDEX()] = total;
}
// CHECK-LABEL: define {{.*}}ptx_kernel void @_Z8gradient
// The density, two energies, two cross sections.
// CHECK: atomicrmw xchg
// CHECK-COUNT-5: load double
// CHECK-NOT: load double
// CHECK: ret void
__global__ void gradient(const Row *rows, Row *drows, double *sum, double *dsum, const int *counts, const int *names,
                         const double *densities, const int *where, int width, long grid, double energy) {
  __enzyme_autodiff((void *)sections, enzyme_dup, rows, drows, enzyme_dup, sum, dsum, enzyme_const, counts,
                    enzyme_const, names, enzyme_const, densities, enzyme_const, where, width, grid, enzyme_const,
                    energy);
}
