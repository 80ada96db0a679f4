// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of the device that no code of the program writes: LLVM folds their contents into kernels
// of --offload=cpu, and the derivatives of launches ask for them all the same.
#include "gradients.h"
#include <cuda_runtime.h>

__constant__ int order[8] = {3, 1, 4, 0, 5, 2, 7, 6};
__device__ int kinds[4] = {2, 0, 1, 3};
__device__ __constant__ double weights[2] = {0.5, 1.25};

__device__ double part(const double *x, int i, int n) {
  double s = 0;
  for (int c = 0; c < 4; c++)
    s += (order[i & 7] == c ? 2 : 0) * x[(i + c) % n] + (kinds[i & 3] > c) * x[i];
  return s * weights[i & 1];
}
__global__ void parts(const double *x, double *y, int n) {
  int i = threadIdx.x;
  if (i < n) {
    double s = part(x, i, n);
    y[i] = s * s;
  }
}

double f(const double *x, int n) {
  double *dx, *dy, s = 0;
  std::vector<double> y(n);
  cudaMalloc(&dx, n * sizeof(double));
  cudaMalloc(&dy, n * sizeof(double));
  cudaMemcpy(dx, x, n * sizeof(double), cudaMemcpyHostToDevice);
  parts<<<1, 32>>>(dx, dy, n);
  cudaMemcpy(y.data(), dy, n * sizeof(double), cudaMemcpyDeviceToHost);
  for (double v : y)
    s += v;
  cudaFree(dx);
  cudaFree(dy);
  return s;
}

int main() {
  rgCheckGradient(f, 12, 0.5);
  return rgReport();
}
