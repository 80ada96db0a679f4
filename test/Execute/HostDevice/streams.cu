// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events, managed and pinned memory, asynchronous copies; memory without derivatives
// that launches read and that changes between them; launches in several lanes.
#include "gradients.h"
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void weigh(double *x, const double *w, const int *at, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = x[i] * x[i] * w[at[i]];
}
// Carries no derivative.
__global__ void turn(int *at, double *w, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    at[i] = (at[i] + 1) % n;
    w[i] += 0.125;
  }
}
static int start[64];
double constantsChange(const double *x, int n) {
  double *d, *w, y[64], s = 0;
  int *at;
  cudaMalloc(&d, n * sizeof(double));
  cudaMalloc(&w, n * sizeof(double));
  cudaMalloc(&at, n * sizeof(int));
  cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemset(w, 0, n * sizeof(double));
  cudaMemcpy(at, start, n * sizeof(int), cudaMemcpyHostToDevice);
  for (int k = 0; k < 3; k++) {
    turn<<<1, n>>>(at, w, n);
    weigh<<<2, (n + 1) / 2>>>(d, w, at, n);
  }
  cudaMemcpy(at, start, n * sizeof(int), cudaMemcpyHostToDevice); // read by launches
  cudaMemset(w, 0, n * sizeof(double));
  cudaMemcpy(y, d, n * sizeof(double), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++)
    s += y[i] * (i % 4);
  cudaFree(d);
  cudaFree(w);
  cudaFree(at);
  return s;
}

__global__ void product(const double *a, const double *b, double *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] * b[n - 1 - i];
}
double twoStreams(const double *x, int n) {
  double *a, *b, *c, *h, s = 0;
  cudaStream_t one, two;
  cudaEvent_t ready;
  cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&ready, cudaEventDisableTiming);
  cudaMalloc(&a, n * sizeof(double));
  cudaMalloc(&b, n * sizeof(double));
  cudaMalloc(&c, n * sizeof(double));
  cudaMallocHost(&h, n * sizeof(double));
  for (int i = 0; i < n; i++)
    h[i] = x[i] * x[i];
  cudaMemcpyAsync(a, h, n * sizeof(double), cudaMemcpyHostToDevice, one);
  cudaMemcpyAsync(b, x, n * sizeof(double), cudaMemcpyHostToDevice, two);
  cudaEventRecord(ready, two);
  cudaStreamWaitEvent(one, ready, 0);
  product<<<(n + 15) / 16, 16, 0, one>>>(a, b, c, n);
  product<<<(n + 15) / 16, 16, 0, one>>>(c, b, a, n);
  cudaMemcpyAsync(h, a, n * sizeof(double), cudaMemcpyDeviceToHost, one);
  cudaStreamSynchronize(one);
  cudaStreamSynchronize(two);
  for (int i = 0; i < n; i++)
    s += h[i] * (1 + i);
  cudaFreeHost(h);
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
  cudaEventDestroy(ready);
  cudaStreamDestroy(one);
  cudaStreamDestroy(two);
  return s;
}

double managed(const double *x, int n) {
  double *m, *w, s = 0;
  cudaMallocManaged(&m, n * sizeof(double));
  cudaMallocManaged(&w, n * sizeof(double));
  for (int i = 0; i < n; i++)
    m[i] = x[i], w[i] = 1 + x[i];
  product<<<1, n>>>(w, w, m, n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; i++) // the host changes what the launch has read
    w[i] = w[i] * m[i];
  product<<<1, n>>>(w, w, m, n);
  cudaDeviceSynchronize();
  for (int i = 0; i < n; i++)
    s += m[i] * (i % 3);
  cudaFree(m);
  cudaFree(w);
  return s;
}

int main() {
  for (int i = 0; i < 64; i++)
    start[i] = i * 3 % 16;
  rgCheckGradient(constantsChange, 24, 0.8);
  rgCheckGradient(twoStreams, 40, 0.8);
  rgCheckGradient(managed, 20, 0.8);
  return rgReport();
}
