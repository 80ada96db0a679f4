// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams that write different parts of one block at the same time. What is kept of the block is kept whole, in the
// stream of whoever overwrites it: it has to wait for the other streams, and they for it. RG_CUDA_STREAMS=late
// (test/Offload/late-streams.test) makes these orders visible.
#include "gradients.h"
#include <cuda_runtime.h>
__global__ void part(double *x, const double *y, int from, int n, double a) {
  int i = from + threadIdx.x;
  if ((int)threadIdx.x < n)
    x[i] = a * y[i] * y[i] + x[i];
}
__global__ void readPart(const double *x, double *z, int from, int n) {
  int i = from + threadIdx.x;
  if ((int)threadIdx.x < n)
    z[i] += x[i] * x[i] * x[i];
}
double f(const double *in, int n) {
  double *x, *y, *z, s = 0, out[64];
  cudaStream_t a, b;
  cudaEvent_t e;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaEventCreate(&e);
  cudaMalloc(&x, n * 8), cudaMalloc(&y, n * 8), cudaMalloc(&z, n * 8);
  cudaMemcpy(x, in, n * 8, cudaMemcpyHostToDevice);
  cudaMemcpy(y, in, n * 8, cudaMemcpyHostToDevice);
  cudaMemset(z, 0, n * 8);
  cudaDeviceSynchronize();
  int h = n / 2;
  for (int t = 0; t < 3; ++t) {
    part<<<1, 64, 0, a>>>(x, y, 0, h, 0.5);
    readPart<<<1, 64, 0, a>>>(x, z, 0, h);
    part<<<1, 64, 0, b>>>(x, y, h, n - h, 0.25);
    readPart<<<1, 64, 0, b>>>(x, z, h, n - h);
    part<<<1, 64, 0, a>>>(x, z, 0, h, 0.125);
    cudaMemcpyAsync(y + h, x + h, (n - h) * 8, cudaMemcpyDeviceToDevice, b);
    cudaMemcpyAsync(y, x, h * 8, cudaMemcpyDeviceToDevice, a);
  }
  cudaStreamSynchronize(a);
  cudaStreamSynchronize(b);
  cudaMemcpy(out, x, n * 8, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++)
    s += out[i] * (1 + i % 3);
  cudaFree(x), cudaFree(y), cudaFree(z);
  cudaStreamDestroy(a), cudaStreamDestroy(b);
  return s;
}
int main() {
  rgCheckGradient(f, 12, 0.2);
  return rgReport();
}
