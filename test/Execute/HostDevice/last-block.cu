// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that hand results on within a launch: each writes its part, and the block that comes last
// reads them all. One thread of a block comes to the fence, or all do.
#include "gradients.h"
#include <cuda_runtime.h>

__device__ unsigned tickets;

__device__ double sumOfBlock(double *room, double v) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  room[t] = v;
  __syncthreads();
  for (int half = blockDim.x * blockDim.y / 2; half > 0; half /= 2) {
    if (t < half)
      room[t] += room[t + half];
    __syncthreads();
  }
  return room[0];
}

// The whole last block adds.
__global__ void total(const double *x, double *part, double *out, int n) {
  __shared__ double room[32];
  __shared__ bool last;
  double v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    v += x[i] * x[i] * x[i];
  double sum = sumOfBlock(room, v);
  if (threadIdx.x == 0) {
    part[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(&tickets, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    v = threadIdx.x < gridDim.x ? part[threadIdx.x] * (1 + threadIdx.x) : 0;
    sum = sumOfBlock(room, v);
    if (threadIdx.x == 0) {
      *out = sqrt(sum);
      tickets = 0;
    }
  }
}
// One thread of it does.
__global__ void weighted(const double *x, double *part, double *out, int n) {
  __shared__ double room[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  room[threadIdx.x] = i < n ? sin(x[i]) : 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    double sum = 0;
    for (int k = 0; k < blockDim.x; k++)
      sum += room[k];
    part[blockIdx.x] = sum;
    __threadfence();
    if (atomicAdd(&tickets, 1u) == gridDim.x - 1) {
      double all = 0;
      for (int b = 0; b < gridDim.x; b++)
        all += part[b] * part[(b + 1) % gridDim.x];
      *out = all;
      tickets = 0;
    }
  }
}
// All threads come to the fence; blocks of two axes.
__global__ void rows(const double *x, double *part, double *out, int n) {
  __shared__ bool last;
  int t = threadIdx.x + blockDim.x * threadIdx.y, block = blockDim.x * blockDim.y, i = blockIdx.x * block + t;
  part[i] = i < n ? x[i] * x[(i + 1) % n] : 0;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0 && threadIdx.y == 0)
    last = atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (last) {
    double v = 0;
    for (int b = 0; b < gridDim.x; b++)
      v += part[b * block + t];
    out[t] = v * v;
  }
}

double f(const double *x, int n) {
  double *d, *part, *out, sum = 0, h[16];
  cudaMalloc(&d, n * sizeof(double));
  cudaMalloc(&part, 64 * sizeof(double));
  cudaMalloc(&out, 18 * sizeof(double));
  cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
  total<<<3, 32>>>(d, part, out, n);
  weighted<<<2, 32>>>(d, part, out + 1, n);
  rows<<<3, dim3(8, 2)>>>(d, part, out + 2, n);
  cudaMemcpy(h, out, 2 * sizeof(double), cudaMemcpyDeviceToHost);
  sum = h[0] + 2 * h[1];
  cudaMemcpy(h, out + 2, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 16; i++)
    sum += (1 + i % 3) * h[i];
  cudaFree(d);
  cudaFree(part);
  cudaFree(out);
  return sum;
}

int main() {
  rgCheckGradient(f, 41, 0.3);
  return rgReport();
}
