// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cooperative launch of as many blocks as the device holds at once. The derivative takes more registers than
// its primal, and all its blocks have to be there together, too.
#include "gradients.h"
#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

// Each thread has a small polynomial of its own; the barrier stands between rounds that read the neighbours.
__global__ void rounds(const double *x, double *u, double *v, int n, int count) {
  cg::grid_group grid = cg::this_grid();
  for (int r = 0; r < count; r++) {
    for (long i = grid.thread_rank(); i < n; i += grid.size()) {
      double a = u[i], b = u[(i + 1) % n], c = u[(i + 7) % n], k = x[i % 16];
      v[i] = 0.5 * a + 0.1 * sin(b * k) * exp(-c * c) + 0.05 * a * b * c + 0.01 * cos(a - c) * k;
    }
    cg::sync(grid);
    for (long i = grid.thread_rank(); i < n; i += grid.size())
      u[i] = v[i] + 0.01 * v[(i + n - 3) % n];
    cg::sync(grid);
  }
}

static int blocks;
double f(const double *x, int n) {
  double *given, *u, *v, s = 0, y[64];
  int size = 128 * blocks - 5, count = 3;
  cudaMalloc(&given, n * sizeof(double));
  cudaMalloc(&u, size * sizeof(double));
  cudaMalloc(&v, size * sizeof(double));
  cudaMemset(u, 0, size * sizeof(double));
  cudaMemcpy(given, x, n * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemcpy(u, x, n * sizeof(double), cudaMemcpyHostToDevice);
  void *arguments[] = {&given, &u, &v, &size, &count};
  if (cudaLaunchCooperativeKernel((void *)rounds, dim3(blocks), dim3(128), arguments, 0, 0) != cudaSuccess)
    return NAN;
  cudaMemcpy(y, u, sizeof y, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 64; i++)
    s += y[i] * (1 + i % 3);
  cudaFree(given), cudaFree(u), cudaFree(v);
  return s;
}
int main() {
  int each = 0, processors = 0;
#ifdef RETROGRAD_CUDA_ON_CPU
  each = 4, processors = 4; // each block is a thread of the machine
#else
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, rounds, 128, 0);
#endif
  blocks = each * processors;
  printf("%d blocks of each of %d multiprocessors\n", each, processors);
  rgCheckGradient(f, 16, 0.9);
  return rgReport();
}
