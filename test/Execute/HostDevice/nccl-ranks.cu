// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RG-FLAGS: -lnccl
//
// Ranks whose buffers have names of their own, of which the program reads one, or fills one: the
// others take part in the derivative all the same.
#include "gradients.h"
#include <cstdlib>
#include <cuda_runtime.h>
#include <nccl.h>

enum { D = 2, N = 4 };
__global__ void soften(double *x, int n) {
  if (threadIdx.x < n)
    x[threadIdx.x] = sin(x[threadIdx.x]) + 0.5 * x[threadIdx.x];
}
static double sumOf(const double *d) {
  double h[N], s = 0;
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < N; i++)
    s += h[i] * h[i] * (i + 1);
  return s;
}
double oneRead(const double *x, int n) {
  double *a, *b;
  ncclComm_t c[D];
  int ids[D] = {0, 1};
  ncclCommInitAll(c, D, ids);
  cudaSetDevice(0), cudaMalloc(&a, N * sizeof *a), cudaMemcpy(a, x, N * sizeof *a, cudaMemcpyHostToDevice);
  cudaSetDevice(1), cudaMalloc(&b, N * sizeof *b), cudaMemcpy(b, x + N, N * sizeof *b, cudaMemcpyHostToDevice);
  for (int t = 0; t < 2; t++) {
    ncclGroupStart();
    ncclAllReduce(a, a, N, ncclDouble, ncclSum, c[0], 0);
    ncclAllReduce(b, b, N, ncclDouble, ncclSum, c[1], 0);
    ncclGroupEnd();
    cudaSetDevice(0), soften<<<1, N>>>(a, N);
    cudaSetDevice(1), soften<<<1, N>>>(b, N);
  }
  double s = sumOf(b);
  cudaFree(b), cudaSetDevice(0), cudaFree(a);
  ncclCommDestroy(c[0]), ncclCommDestroy(c[1]);
  return s;
}
double oneFilled(const double *x, int n) {
  double *a, *b;
  ncclComm_t c[D];
  int ids[D] = {0, 1};
  ncclCommInitAll(c, D, ids);
  cudaSetDevice(0), cudaMalloc(&a, N * sizeof *a), cudaMemcpy(a, x, N * sizeof *a, cudaMemcpyHostToDevice);
  cudaSetDevice(1), cudaMalloc(&b, N * sizeof *b), cudaMemset(b, 0, N * sizeof *b);
  ncclGroupStart();
  ncclBroadcast(a, a, N, ncclDouble, 0, c[0], 0);
  ncclBroadcast(b, b, N, ncclDouble, 0, c[1], 0);
  ncclGroupEnd();
  cudaSetDevice(1), soften<<<1, N>>>(b, N);
  double s = sumOf(b);
  cudaFree(b), cudaSetDevice(0), cudaFree(a);
  ncclCommDestroy(c[0]), ncclCommDestroy(c[1]);
  return s;
}
int main() {
  setenv("RG_CUDA_DEVICES", "2", 1);
  rgCheckGradient(oneRead, 2 * N, 0.6);
  rgCheckGradient(oneFilled, N, 0.6);
  return rgReport();
}
