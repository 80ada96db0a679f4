// RUN: %rgcxx --offload=cpu -O2 -I%root/test/include -I%root/include -mllvm -rg-verify-each -mllvm -rg-gpu-own %s -o %t && %t
// Kernels whose threads have places of their own, depending on the launch. Launches that
// break the condition must give the same gradient by atomics.
#include "rgcuda.h"

__device__ void one(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * x[i] * sin(x[i]);
}
// Three planes of 4 rows of 32; wider blocks run into the next row.
__device__ void planes(const double *x, double *y, int n) {
  int c = threadIdx.x + 32 * blockIdx.x;
  y[c] += x[c] * x[128 + c] + x[256 + c] * x[c];
}
// The same place for threads that differ in y.
__device__ void columns(const double *x, double *y, int n) {
  int c = threadIdx.x + blockIdx.x * blockDim.x;
  y[c + n * threadIdx.y] = x[c] * x[c] * (1 + threadIdx.y);
}
// Neighbours meet.
__device__ void pairs(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n)
    y[i] = x[i] * x[i + 1];
}
// In place.
__device__ void update(const double *x, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  y[i] = x[i];
  y[i] = y[i] * y[i] * x[(i * 7) % n];
}

int main() {
  int Bad = rg::checkKernel<double, one>("own places", 300, 300, 3, 128);
  Bad |= rg::checkKernel<double, planes>("planes", 384, 128, 4, 32);
  Bad |= rg::checkKernel<double, columns>("columns", 64, 64, 2, 32);
  Bad |= rg::checkKernel<double, columns>("columns, four to a place", 64, 256, 2, dim3(32, 4));
  Bad |= rg::checkKernel<double, pairs>("pairs", 300, 300, 3, 128);
  Bad |= rg::checkKernel<double, update>("in place", 128, 128, 2, 64);
  return Bad;
}
