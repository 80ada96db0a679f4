// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions and scans of the time before Volta: volatile shared memory, no barrier within a warp.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cuda_runtime.h>
// The classical reduction of the samples: the last warp goes on without barriers.
template <unsigned int blockSize> __device__ void warpReduce(volatile int *sdata, unsigned int tid) {
  if (blockSize >= 64)
    sdata[tid] += sdata[tid + 32];
  if (blockSize >= 32)
    sdata[tid] += sdata[tid + 16];
  if (blockSize >= 16)
    sdata[tid] += sdata[tid + 8];
  if (blockSize >= 8)
    sdata[tid] += sdata[tid + 4];
  if (blockSize >= 4)
    sdata[tid] += sdata[tid + 2];
  if (blockSize >= 2)
    sdata[tid] += sdata[tid + 1];
}
template <unsigned int blockSize> __global__ void reduce6(int *g_idata, int *g_odata, unsigned int n) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x, i = blockIdx.x * (blockSize * 2) + tid, gridSize = blockSize * 2 * gridDim.x;
  sdata[tid] = 0;
  while (i < n) {
    sdata[tid] += g_idata[i] + (i + blockSize < n ? g_idata[i + blockSize] : 0);
    i += gridSize;
  }
  __syncthreads();
  if (blockSize >= 512) {
    if (tid < 256)
      sdata[tid] += sdata[tid + 256];
    __syncthreads();
  }
  if (blockSize >= 256) {
    if (tid < 128)
      sdata[tid] += sdata[tid + 128];
    __syncthreads();
  }
  if (blockSize >= 128) {
    if (tid < 64)
      sdata[tid] += sdata[tid + 64];
    __syncthreads();
  }
  if (tid < 32)
    warpReduce<blockSize>(sdata, tid);
  if (tid == 0)
    g_odata[blockIdx.x] = sdata[0];
}
// Rodinia's and others': volatile variable in the kernel itself, scan in a warp.
__global__ void scanWarp(const float *in, float *out) {
  __shared__ volatile float s[2 * 32 * 4];
  int w = threadIdx.x / 32, l = threadIdx.x % 32;
  volatile float *p = s + w * 64;
  p[l] = 0;
  p[l + 32] = in[threadIdx.x];
  p[l + 32] = p[l + 32] + p[l + 31];
  p[l + 32] += p[l + 30];
  p[l + 32] += p[l + 28];
  p[l + 32] += p[l + 24];
  p[l + 32] += p[l + 16];
  out[threadIdx.x] = p[l + 32];
}
int main() {
  int n = 100000;
  int *x, *o;
  cudaMallocManaged(&x, 4 * n);
  cudaMallocManaged(&o, 256);
  long ref = 0;
  for (int i = 0; i < n; i++)
    ref += x[i] = i % 13;
  long s;
  reduce6<256><<<32, 256, 256 * 4 + 128>>>(x, o, n);
  CHECK(cudaDeviceSynchronize());
  s = 0;
  for (int i = 0; i < 32; i++)
    s += o[i];
  EXPECT(s == ref);
  reduce6<64><<<16, 64, 64 * 4 + 128>>>(x, o, n);
  CHECK(cudaDeviceSynchronize());
  s = 0;
  for (int i = 0; i < 16; i++)
    s += o[i];
  EXPECT(s == ref);
  reduce6<512><<<16, 512, 512 * 4>>>(x, o, n);
  CHECK(cudaDeviceSynchronize());
  s = 0;
  for (int i = 0; i < 16; i++)
    s += o[i];
  EXPECT(s == ref);
  float *f, *g;
  cudaMallocManaged(&f, 512);
  cudaMallocManaged(&g, 512);
  for (int i = 0; i < 128; i++)
    f[i] = i % 5;
  scanWarp<<<1, 128>>>(f, g);
  CHECK(cudaDeviceSynchronize());
  for (int w = 0; w < 4; w++) {
    float a = 0;
    for (int i = 0; i < 32; i++) {
      a += f[w * 32 + i];
      EXPECT(g[w * 32 + i] == a);
    }
  }
  return finish();
}
