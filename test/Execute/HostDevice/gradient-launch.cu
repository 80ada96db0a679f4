// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// rg::gradient(kernel).launch: with and without shared bytes and stream, outputs by name.
#include "rgtest.h"
#include <cuda_runtime.h>
#include <retrograd/retrograd.hpp>
#include <cmath>
#include <vector>
__global__ void saxpy(const double *x, double *y, double a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * sin(x[i]) + y[i] * y[i];
}
template <class T> __global__ void rev(const T *x, T *y, int n) {
  extern __shared__ double s[];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = s[n - 1 - threadIdx.x] * x[threadIdx.x];
}
int main() {
  const int n = 50;
  std::vector<double> x(n), y(n), one(n, 1.0), gx(n), gy(n);
  for (int i = 0; i < n; i++) x[i] = 0.1 * i, y[i] = 1 + 0.01 * i;
  double *dx, *dy, *sx, *sy;
  cudaMalloc(&dx, n * 8); cudaMalloc(&dy, n * 8); cudaMalloc(&sx, n * 8); cudaMalloc(&sy, n * 8);
  cudaMemcpy(dx, x.data(), n * 8, cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y.data(), n * 8, cudaMemcpyHostToDevice);
  cudaMemset(sx, 0, n * 8);
  cudaMemcpy(sy, one.data(), n * 8, cudaMemcpyHostToDevice);
  double ga = rg::gradient(saxpy).launch(dim3(2), dim3(32), rg::dup(dx, sx), rg::output(dy, sy), 1.5, n);
  cudaMemcpy(gx.data(), sx, n * 8, cudaMemcpyDeviceToHost);
  cudaMemcpy(gy.data(), sy, n * 8, cudaMemcpyDeviceToHost);
  double want = 0, worst = 0;
  for (int i = 0; i < n; i++) {
    want += sin(x[i]);
    worst = fmax(worst, fabs(gx[i] - 1.5 * cos(x[i])) + fabs(gy[i] - 2 * y[i]));
  }
  RG_WITHIN(ga, want, 1e-12);
  RG_WITHIN(worst, 0, 1e-12);
  cudaStream_t s; cudaStreamCreate(&s);
  cudaMemset(sx, 0, n * 8);
  rg::gradient(rev<double>).launch(1, n, n * sizeof(double), s, rg::dup(dx, sx), rg::output(dy, n), n);
  cudaMemcpy(gx.data(), sx, n * 8, cudaMemcpyDeviceToHost);
  worst = 0;
  for (int i = 0; i < n; i++) worst = fmax(worst, fabs(gx[i] - 2 * x[n - 1 - i]));
  RG_WITHIN(worst, 0, 1e-12);
  rg::gradient(rev<double>).launch(1, n, n * sizeof(double), rg::dup(dx, sx), rg::output(dy, n), rg::constant(n));
  cudaStreamDestroy(s); cudaFree(dx); cudaFree(dy); cudaFree(sx); cudaFree(sy);
  return rgReport();
}
