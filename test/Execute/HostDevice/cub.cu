// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUB's reductions, scans and sorts: in kernels, and of the whole device.
#include <cub/cub.cuh>
#include "gradients.h"
__global__ void block(const double *x, double *y, int n) {
  typedef cub::BlockReduce<double, 64> R;
  __shared__ typename R::TempStorage t;
  int i = blockIdx.x * 64 + threadIdx.x;
  double s = R(t).Sum(i < n ? x[i] * x[i] * x[i]: 0.0);
  __syncthreads();
  double m = R(t).Reduce(i < n ? x[i] + 0.0037 * (i * 7 % n) : 0, cub::Max());
  if (threadIdx.x == 0) y[blockIdx.x] = s * m;
}
__global__ void warp(const double *x, double *y, int n) {
  typedef cub::WarpReduce<double> R;
  typedef cub::WarpScan<double, 16> S;
  __shared__ typename R::TempStorage t[2];
  __shared__ typename S::TempStorage u[4];
  int i = blockIdx.x * 64 + threadIdx.x;
  double s = R(t[threadIdx.x/32]).Sum(i < n ? x[i] * x[i] : 0.0), p, all;
  S(u[threadIdx.x / 16]).ExclusiveSum(i < n ? x[i] : 0.0, p, all);
  if (i < n) y[i] = (threadIdx.x % 32 == 0 ? s : 1) * p * p + all;
}
__global__ void scan(const double *x, double *y, int n) {
  typedef cub::BlockScan<double, 64> R;
  typedef cub::BlockLoad<double, 64, 2> L;
  __shared__ union { typename R::TempStorage scan; typename L::TempStorage load; } t;
  double v[2], s[2], all;
  L(t.load).Load(x + blockIdx.x * 128, v, n - (int)blockIdx.x * 128, 0.0);
  R(t.scan).InclusiveSum(v, s, all);
  cub::BlockStore<double, 64, 2>().Store(y + blockIdx.x * 128, s, n - (int)blockIdx.x * 128);
  __syncthreads();
  double one;
  R(t.scan).ExclusiveScan(v[0] + 1, one, 2.0, [](double a, double b) { return a * b; }, all);
  int i = blockIdx.x * 128 + 2 * threadIdx.x;
  if (i < n) y[i] += log(one) + log(all);
}
template <int W> double inKernels(const double *x, int n) {
  double *dx, *dy, s = 0; cudaMalloc(&dx, n*8); cudaMalloc(&dy, n*8);
  cudaMemcpy(dx, x, n*8, cudaMemcpyHostToDevice);
  cudaMemset(dy, 0, n*8);
  if (W == 0) block<<<(n+63)/64,64>>>(dx, dy, n);
  if (W == 1) warp<<<(n+63)/64,64>>>(dx, dy, n);
  if (W == 2) scan<<<(n+127)/128,64>>>(dx, dy, n);
  std::vector<double> y(n);
  cudaMemcpy(y.data(), dy, n*8, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++) s += y[i] * y[i] * 1e-3;
  cudaFree(dx); cudaFree(dy);
  return s;
}
double ofDevice(const double *x, int n) {
  double *dx, *dy, *dz; cudaMalloc(&dx, n*8); cudaMalloc(&dy, n*8 + 8); cudaMalloc(&dz, n*8);
  cudaMemcpy(dx, x, n*8, cudaMemcpyHostToDevice);
  void *scratch = nullptr; size_t bytes = 0;
  for (int i = 0; i < 2; ++i) {
    cub::DeviceScan::InclusiveSum(scratch, bytes, dx, dy, n);
    if (!i) cudaMalloc(&scratch, bytes);
  }
  cub::DeviceRadixSort::SortPairsDescending(scratch, bytes, dx, dz, dy, dx, n);
  cub::DeviceReduce::Max(scratch, bytes, dy, dy + n, n);
  cub::DeviceReduce::Sum(scratch, bytes, dx, dz + 1, n);
  std::vector<double> y(n + 1), z(n), v(n);
  cudaMemcpy(y.data(), dy, n*8 + 8, cudaMemcpyDeviceToHost);
  cudaMemcpy(z.data(), dz, n*8, cudaMemcpyDeviceToHost);
  cudaMemcpy(v.data(), dx, n*8, cudaMemcpyDeviceToHost);
  double s = 0;
  for (int i = 0; i < n; i++) s += (y[i] * z[i] + v[i] * v[i] * (i + 1) * y[n]) * 1e-3;
  cudaFree(dx); cudaFree(dy); cudaFree(dz); cudaFree(scratch);
  return s;
}
int main() {
  rgCheckGradient(inKernels<0>, 100, 0.6);
  rgCheckGradient(inKernels<1>, 100, 0.6);
  rgCheckGradient(inKernels<2>, 150, 0.6);
  rgCheckGradient(ofDevice, 16, 0.6);
  return rgReport();
}
