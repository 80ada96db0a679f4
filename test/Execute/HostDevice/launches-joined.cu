// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of one kernel under several branches, with configurations of their own: where an exception could pass,
// LLVM makes one launch of them, behind several configurations.
#include "gradients.h"
#include <cuda_runtime.h>

__global__ void square(double *x, double a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] *= a * x[i] + 0.1 * gridDim.x;
}
double two(const double *x, int n) {
  std::vector<double> y(2 * n);
  double *u, s = 0;
  cudaMalloc(&u, 2 * n * sizeof(double));
  for (int k = 0; k < 4; k++) {
    cudaMemcpy(u, x, n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(u + n, x, n * sizeof(double), cudaMemcpyHostToDevice);
    if (x[k] > 0.32)
      square<<<2, 32>>>(u, x[1], n);
    else
      square<<<1, 64>>>(u + n, x[2] * k, n);
    cudaMemcpy(y.data(), u, 2 * n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 2 * n; i++)
      s += y[i] * y[i] * (1 + i % 3);
  }
  cudaFree(u);
  return s;
}
// Three, of which two have one configuration; another launch behind them.
double three(const double *x, int n) {
  std::vector<double> y(n);
  double *u, s = 0;
  cudaMalloc(&u, n * sizeof(double));
  for (int k = 0; k < 6; k++) {
    cudaMemcpy(u, x, n * sizeof(double), cudaMemcpyHostToDevice);
    switch (k % 3) {
    case 0:
      square<<<2, 32>>>(u, x[1], n);
      break;
    case 1:
      square<<<2, 32>>>(u + 1, x[2], n - 1);
      break;
    default:
      square<<<3, 32>>>(u + 2, x[3], n - 2);
    }
    square<<<4, 16>>>(u, 0.5 + x[4], n);
    cudaMemcpy(y.data(), u, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (double v : y)
      s += v * v * (k + 1);
  }
  cudaFree(u);
  return s;
}

int main() {
  rgCheckGradient(two, 24, 0.3);
  rgCheckGradient(three, 24, 0.3);
  return rgReport();
}
