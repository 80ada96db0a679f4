// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers of the grid in cooperative launches: sweeps without a launch each, a sum in one launch.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
__global__ void jacobi(float *a, float *b, int n, int iters) {
  cg::grid_group grid = cg::this_grid();
  float *src = a, *dst = b;
  for (int k = 0; k < iters; k++) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
      dst[i] = (i == 0 || i == n - 1) ? src[i] : 0.5f * (src[i - 1] + src[i + 1]);
    grid.sync();
    float *t = src;
    src = dst;
    dst = t;
  }
}
__global__ void reduceCoop(const double *in, double *partial, double *out, int n) {
  auto block = cg::this_thread_block();
  auto grid = cg::this_grid();
  extern __shared__ double sm[];
  double s = 0;
  for (size_t i = grid.thread_rank(); i < n; i += grid.size())
    s += in[i];
  sm[threadIdx.x] = s;
  cg::sync(block);
  for (int h = blockDim.x / 2; h > 0; h /= 2) {
    if (threadIdx.x < h)
      sm[threadIdx.x] += sm[threadIdx.x + h];
    cg::sync(block);
  }
  if (block.thread_rank() == 0)
    partial[blockIdx.x] = sm[0];
  cg::sync(grid);
  if (grid.thread_rank() == 0) {
    double t = 0;
    for (int i = 0; i < gridDim.x; i++)
      t += partial[i];
    *out = t;
  }
}
int main() {
  int dev = 0, can = 0;
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, dev));
  CHECK(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, dev));
  EXPECT(can == 1 && p.cooperativeLaunch == 1);
  int n = 3000, iters = 25;
  float *a, *b;
  CHECK(cudaMallocManaged(&a, n * 4));
  CHECK(cudaMallocManaged(&b, n * 4));
  float *ra = (float *)malloc(n * 4), *rb = (float *)malloc(n * 4);
  for (int i = 0; i < n; i++)
    a[i] = ra[i] = (i * 37) % 101;
  for (int k = 0; k < iters; k++) {
    for (int i = 0; i < n; i++)
      rb[i] = (i == 0 || i == n - 1) ? ra[i] : 0.5f * (ra[i - 1] + ra[i + 1]);
    float *t = ra;
    ra = rb;
    rb = t;
  }
  int per;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per, jacobi, 128, 0));
  int grid = per * p.multiProcessorCount;
  void *args[] = {&a, &b, &n, &iters};
  CHECK(cudaLaunchCooperativeKernel((void *)jacobi, dim3(grid), dim3(128), args, 0, 0));
  CHECK(cudaDeviceSynchronize());
  float *res = iters % 2 ? b : a;
  for (int i = 0; i < n; i++)
    EXPECT(fabsf(res[i] - ra[i]) < 1e-4f);
  double *in, *part, *out;
  cudaMallocManaged(&in, n * 8);
  cudaMallocManaged(&part, 64 * 8);
  cudaMallocManaged(&out, 8);
  double ref = 0;
  for (int i = 0; i < n; i++)
    ref += in[i] = i * 0.25;
  void *args2[] = {&in, &part, &out, &n};
  CHECK(cudaLaunchCooperativeKernel(reduceCoop, dim3(8), dim3(64), args2, 64 * 8, 0));
  CHECK(cudaDeviceSynchronize());
  EXPECT(*out == ref);
  cudaError_t e = cudaLaunchCooperativeKernel(reduceCoop, dim3(1 << 20), dim3(64), args2, 64 * 8, 0);
  EXPECT(e == cudaErrorCooperativeLaunchTooLarge);
  cudaGetLastError();
  return finish();
}
