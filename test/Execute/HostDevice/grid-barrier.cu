// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers of the grid: several blocks wait for each other, in both sweeps.
#include "gradients.h"
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <vector>
namespace cg = cooperative_groups;

__global__ void sweeps(double *u, double *v, int n, int steps) {
  cg::grid_group grid = cg::this_grid();
  double *from = u, *to = v;
  for (int s = 0; s < steps; s++) {
    for (int i = grid.thread_rank(); i < n; i += grid.size())
      to[i] = 0.5 * from[i] + 0.25 * from[(i + 1) % n] * from[(i + n - 1) % n];
    grid.sync();
    double *last = from;
    from = to;
    to = last;
  }
}
// In place, between barriers; a sum in one launch.
__global__ void inPlace(double *u, double *part, int n) {
  cg::grid_group grid = cg::this_grid();
  int i = grid.thread_rank();
  double next = i < n ? u[(i + 1) % n] * u[i] : 0;
  grid.sync();
  if (i < n)
    u[i] = next;
  grid.sync();
  if (threadIdx.x == 0) {
    double s = 0;
    for (int k = blockIdx.x; k < n; k += gridDim.x)
      s += u[k] * u[k];
    part[blockIdx.x] = s;
  }
  grid.sync();
  if (i == 0)
    for (int b = 1; b < gridDim.x; b++)
      part[0] += part[b] * b;
}
double f(const double *x, int n) {
  double *u, *v, s = 0;
  int steps = 4;
  std::vector<double> y(n);
  cudaMalloc(&u, n * sizeof(double));
  cudaMalloc(&v, n * sizeof(double));
  cudaMemcpy(u, x, n * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemset(v, 0, n * sizeof(double));
  void *args[] = {&u, &v, &n, &steps};
  cudaLaunchCooperativeKernel((void *)sweeps, dim3(3), dim3(16), args, 0, 0);
  void *more[] = {&u, &v, &n};
  cudaLaunchCooperativeKernel((void *)inPlace, dim3(3), dim3(16), more, 0, 0);
  cudaMemcpy(y.data(), u, n * sizeof(double), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++)
    s += y[i] * (1 + i % 3);
  cudaMemcpy(y.data(), v, sizeof(double), cudaMemcpyDeviceToHost);
  cudaFree(u), cudaFree(v);
  return s + y[0];
}
int main() {
  rgCheckGradient(f, 48, 0.9);
  return rgReport();
}
