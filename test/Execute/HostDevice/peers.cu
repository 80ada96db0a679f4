// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A domain over three devices: halos by peer copies in streams of either side, ordered by events, buffers that change
// roles, a device that is not the current one when its memory is copied.
#include "gradients.h"
#include <cstdlib>
#include <cuda_runtime.h>
#include <utility>

enum { D = 3, Each = 6 };

__global__ void step(const double *u, double *v, double c) {
  int i = 1 + threadIdx.x;
  if (i <= Each)
    v[i] = u[i] + c * (u[i - 1] - 2 * u[i] + u[i + 1]) - 0.05 * u[i] * u[i];
}

double f(const double *x, int n) {
  double *u[D], *v[D], sum = 0;
  cudaStream_t stream[D];
  cudaEvent_t ready[D];
  for (int d = 0; d < D; ++d) {
    cudaSetDevice(d);
    cudaMalloc(&u[d], (Each + 2) * sizeof(double));
    cudaMalloc(&v[d], (Each + 2) * sizeof(double));
    cudaMemset(u[d], 0, (Each + 2) * sizeof(double));
    cudaMemset(v[d], 0, (Each + 2) * sizeof(double));
    cudaStreamCreate(&stream[d]);
    cudaEventCreate(&ready[d]);
    cudaMemcpyAsync(u[d] + 1, x + d * Each, Each * sizeof(double), cudaMemcpyHostToDevice, stream[d]);
  }
  for (int t = 0; t < 5; ++t) {
    for (int d = 0; d < D; ++d) {
      cudaSetDevice(d);
      cudaEventRecord(ready[d], stream[d]);
    }
    for (int d = 0; d + 1 < D; ++d) {
      cudaSetDevice(d);
      cudaStreamWaitEvent(stream[d], ready[d + 1], 0);
      cudaMemcpyPeerAsync(u[d] + Each + 1, d, u[d + 1] + 1, d + 1, sizeof(double), stream[d]);
      cudaSetDevice(d + 1);
      cudaStreamWaitEvent(stream[d + 1], ready[d], 0);
      cudaMemcpyPeerAsync(u[d + 1], d + 1, u[d] + Each, d, sizeof(double), stream[d + 1]);
    }
    for (int d = 0; d < D; ++d)
      cudaStreamSynchronize(stream[d]);
    for (int d = 0; d < D; ++d) {
      cudaSetDevice(d);
      step<<<1, 32, 0, stream[d]>>>(u[d], v[d], 0.2 + 0.01 * x[t]);
      std::swap(u[d], v[d]);
    }
  }
  cudaMemcpyPeer(u[0], 0, u[D - 1], D - 1, 3 * sizeof(double)); // the last device is the current one
  for (int d = 0; d < D; ++d) {
    double y[Each + 2];
    cudaStreamSynchronize(stream[d]);
    cudaMemcpy(y, u[d], sizeof y, cudaMemcpyDefault);
    for (int i = 0; i < Each + 2; ++i)
      sum += y[i] * y[i] * (1 + (i + d) % 4);
    cudaFree(u[d]), cudaFree(v[d]);
    cudaStreamDestroy(stream[d]);
    cudaEventDestroy(ready[d]);
  }
  cudaSetDevice(0);
  return sum;
}

int main() {
  setenv("RG_CUDA_DEVICES", "3", 1);
  int devices = 0;
  cudaGetDeviceCount(&devices);
#ifndef RETROGRAD_CUDA_ON_CPU
  if (devices < D) // a machine with fewer GPUs
    return 0;
#endif
  if (devices < D)
    return 1;
  rgCheckGradient(f, D * Each, 0.4);
  return rgReport();
}
