// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that fail in a differentiated program, which notices and goes another way: allocations that are too large,
// launches that cannot start, exceptions.
#include "gradients.h"
#include <cuda_runtime.h>
#include <stdexcept>

__global__ void square(double *p, double a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = a * p[i] * p[i];
}
// Half as much, until there is memory; threads that are too many.
template <class A> double smaller(A allocate, const double *x, int n) {
  double *d = nullptr, s = 0, y[64];
  size_t bytes = (size_t)1 << 60;
  for (int part = n; allocate(&d, bytes) != cudaSuccess; part /= 2)
    bytes = part / 2 * sizeof(double);
  cudaGetLastError();
  int room = bytes / sizeof(double);
  for (int i = 0; i < n; i += room) {
    int m = n - i < room ? n - i : room;
    cudaMemcpy(d, x + i, m * sizeof(double), cudaMemcpyHostToDevice);
    square<<<1, 2048>>>(d, 0.5 + x[0], m);
    if (cudaGetLastError() != cudaSuccess)
      square<<<(m + 31) / 32, 32>>>(d, 0.5 + x[1], m);
    cudaMemcpy(y, d, m * sizeof(double), cudaMemcpyDeviceToHost);
    for (int k = 0; k < m; k++)
      s += y[k] * y[k] * (1 + k % 3);
  }
  cudaFree(d);
  return s;
}
double device(const double *x, int n) {
  return smaller([](double **d, size_t bytes) { return cudaMalloc(d, bytes); }, x, n);
}
double managed(const double *x, int n) {
  return smaller([](double **d, size_t bytes) { return cudaMallocManaged(d, bytes); }, x, n);
}

static void check(cudaError_t error) {
  if (error != cudaSuccess)
    throw std::runtime_error(cudaGetErrorString(error));
}
struct Holder {
  double *at;
  ~Holder() { cudaFree(at); }
};
double thrown(const double *x, int n) {
  double s = 0, y[64];
  for (int k = 0; k < 3; k++)
    try {
      Holder h = {};
      check(cudaMalloc(&h.at, n * sizeof(double)));
      check(cudaMemcpy(h.at, x, n * sizeof(double), cudaMemcpyHostToDevice));
      square<<<k == 1 ? 0 : 2, 32>>>(h.at, x[2], n);
      check(cudaGetLastError());
      check(cudaMemcpy(y, h.at, n * sizeof(double), cudaMemcpyDeviceToHost));
      for (int i = 0; i < n; i++)
        s += y[i] * (k + 1);
    } catch (const std::exception &) {
      s += x[0] * x[1];
    }
  return s;
}

int main() {
  rgCheckGradient(device, 24, 0.3);
  rgCheckGradient(managed, 24, 0.3);
  rgCheckGradient(thrown, 24, 0.3);
  return rgReport();
}
