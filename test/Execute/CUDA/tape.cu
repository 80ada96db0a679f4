// REQUIRES: cuda-toolkit
// RUN: %rgcxx -O2 -I%root/test/include -I%root/include -mllvm -rg-gpu-stack=0 -mllvm -rg-verify-each -c %s -o %t.o
// A tape in memory that the host reserved: enough of it, and too little, when the rest
// comes from the heap.
#include "rgcuda.h"
#include <retrograd/retrograd_device.h>

__device__ void chain(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double p = x[i];
  for (int k = 0; k < 20 + i; ++k)
    p = sin(p) * x[i] + 0.25 * p;
  y[i] = p;
}

int main() {
  rg::must(rg::device_tape(4096, 128), "device_tape");
  int Bad = rg::checkKernel<double, chain>("reserved", 100, 100, 2, 64);
  rg::must(rg::device_tape(512, 128), "device_tape");
  Bad |= rg::checkKernel<double, chain>("reserved in part", 100, 100, 2, 64);
  rg::must(rg::device_tape_free(), "device_tape_free");
  Bad |= rg::checkKernel<double, chain>("heap", 100, 100, 2, 64);
  return Bad;
}
