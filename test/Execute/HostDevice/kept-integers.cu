// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Managed memory that the program keeps from call to call, and that holds integers: kernels count
// there, and the host reads the counts.
#include "gradients.h"
#include <cuda_runtime.h>

static int *counts;
static unsigned long long *total;
__global__ void bins(const double *x, int *c, unsigned long long *t, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&c[(int)(x[i] * 8) & 3], 1);
    atomicOr((unsigned *)&c[4], 1u << (i % 5));
    atomicAdd(t, 2ull);
  }
}
__global__ void weigh(const double *x, double *y, const int *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * x[i] * c[(int)(x[i] * 8) & 3];
}
double f(const double *x, int n) {
  if (!counts) {
    cudaMallocManaged(&counts, 5 * sizeof(int));
    cudaMallocManaged(&total, sizeof *total);
  }
  for (int i = 0; i < 5; i++)
    counts[i] = 0;
  *total = 0;
  double *d, *y, s = 0;
  std::vector<double> h(n);
  cudaMalloc(&d, n * sizeof(double));
  cudaMalloc(&y, n * sizeof(double));
  cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
  bins<<<2, 16>>>(d, counts, total, n);
  weigh<<<2, 16>>>(d, y, counts, n);
  cudaDeviceSynchronize();
  cudaMemcpy(h.data(), y, n * sizeof(double), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++)
    s += h[i] * counts[i % 5] * *total;
  cudaFree(d), cudaFree(y);
  return s;
}
int main() {
  std::vector<double> x(20, 0.6);
  f(x.data(), 20); // the memory is there before the derivative
  rgCheckGradient(f, 20, 0.602);
  return rgReport();
}
