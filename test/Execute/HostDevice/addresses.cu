// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables of the device by their addresses and by their names, managed variables that the host changes
// between launches, memory of the host that is registered, pointers in structs that kernels find by an index.
#include "gradients.h"
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

__device__ double table[16];
__constant__ double weights[4];
// For a GPU, clang has no managed variables.
#ifdef RETROGRAD_CUDA_ON_CPU
#define MANAGED __managed__
#else
#define MANAGED __device__
#endif
MANAGED double factor = 1.5;

__global__ void fill(const double *x, int n) { table[threadIdx.x] = x[threadIdx.x % n] * x[(threadIdx.x + 1) % n]; }
__global__ void square(double *p, const double *w, int n) {
  if (threadIdx.x < n)
    p[threadIdx.x] = p[threadIdx.x] * p[threadIdx.x] * (w ? w[threadIdx.x % 4] : 1);
}
__global__ void both(double *p, int n) { // the same variable by its address and by its name
  if (threadIdx.x < n)
    p[threadIdx.x] = p[threadIdx.x] * factor + 0.5 * table[threadIdx.x + 8] * weights[threadIdx.x % 4];
}
double byAddress(const double *x, int n) {
  double *d, *t, *w, y[16], s = 0;
  cudaMalloc(&d, n * sizeof(double));
  cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(weights, x + 2, sizeof weights);
  cudaGetSymbolAddress((void **)&w, weights);
  fill<<<1, 16>>>(d, n);
  if (cudaGetSymbolAddress((void **)&t, table))
    return -1;
  for (int k = 0; k < 3; k++) {
    square<<<1, 16>>>(t + 4, k == 1 ? nullptr : w, 8);
    both<<<1, 16>>>(t, 8);
  }
  cudaMemcpy(t + 1, d, 3 * sizeof(double), cudaMemcpyDeviceToDevice); // over what launches have read
  square<<<1, 16>>>(t, w, 16);
  cudaMemcpy(y, t, sizeof y, cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&y[5], table, sizeof(double), 7 * sizeof(double));
  for (int i = 0; i < 16; i++)
    s += y[i] * (1 + i % 5);
  cudaFree(d);
  return s;
}
// The address is from outside; the derivative goes by the name.
static double *outside;
double fromOutside(const double *x, int n) {
  double *d, y[16], s = 0;
  cudaMalloc(&d, n * sizeof(double));
  cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
  fill<<<1, 16>>>(d, n);
  both<<<1, 16>>>(d, 8);
  cudaMemset(outside + 8, 0, 8 * sizeof(double)); // what `both` has read
  cudaMemcpy(y, d, n * sizeof(double), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++)
    s += y[i] * y[i];
  cudaFree(d);
  return s;
}

__global__ void times(const double *x, double *y, int n) {
  if (threadIdx.x < n)
    y[threadIdx.x] = x[threadIdx.x] * factor;
}
#ifdef RETROGRAD_CUDA_ON_CPU
double managed(const double *x, int n) {
  double *a, *b, s = 0;
  std::vector<double> y(n);
  cudaMalloc(&a, n * sizeof(double));
  cudaMalloc(&b, n * sizeof(double));
  cudaMemcpy(a, x, n * sizeof(double), cudaMemcpyHostToDevice);
  factor = x[1] * x[1];
  times<<<1, n>>>(a, b, n);
  cudaDeviceSynchronize();
  factor = x[2];
  times<<<1, n>>>(b, a, n);
  cudaDeviceSynchronize();
  factor = 7;
  cudaMemcpy(y.data(), a, n * sizeof(double), cudaMemcpyDeviceToHost);
  for (double v : y)
    s += v * v;
  cudaFree(a), cudaFree(b);
  return s;
}
#endif

double registered(const double *x, int n) {
  std::vector<double> h(n), g(n, 1.0);
  double *d, *dg, s = 0;
  for (int round = 0; round < 2; round++) {
    if (cudaHostRegister(h.data(), n * sizeof(double), cudaHostRegisterMapped) ||
        cudaHostRegister(g.data(), n * sizeof(double), cudaHostRegisterDefault))
      return -1;
    cudaHostGetDevicePointer((void **)&d, h.data(), 0);
    cudaHostGetDevicePointer((void **)&dg, g.data(), 0);
    for (int i = 0; i < n; i++)
      h[i] = x[i] + s;
    times<<<1, n>>>(d, dg, n);
    square<<<1, n>>>(d, dg, n);
    cudaDeviceSynchronize();
    for (int i = 0; i < n; i++)
      s += 0.01 * h[i] * (i % 4) + 0.01 * g[i];
    if (cudaHostUnregister(h.data()) || cudaHostUnregister(g.data()))
      return -1;
    h.assign(n, 0);
  }
  return s;
}

struct buffers {
  double *of[3];
  int n;
};
__global__ void turn(buffers b, int k) {
  int i = threadIdx.x;
  if (i < b.n)
    b.of[k][i] = 0.5 * b.of[(k + 1) % 3][i] + b.of[k][i] * b.of[k][i];
}
double byIndex(const double *x, int n) {
  buffers b{{}, n};
  std::vector<double> y(n);
  double s = 0;
  for (double *&p : b.of) {
    cudaMalloc(&p, n * sizeof(double));
    cudaMemcpy(p, x, n * sizeof(double), cudaMemcpyHostToDevice);
  }
  for (int t = 0; t < 5; t++)
    turn<<<1, n>>>(b, t % 3);
  for (double *p : b.of) {
    cudaMemcpy(y.data(), p, n * sizeof(double), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
      s += y[i] * (i + 1);
    cudaFree(p);
  }
  return s;
}

int main() {
  if (cudaGetSymbolAddress((void **)&outside, table))
    return 1;
  rgCheckGradient(byAddress, 12, 0.6);
  rgCheckGradient(fromOutside, 12, 0.6);
#ifdef RETROGRAD_CUDA_ON_CPU
  rgCheckGradient(managed, 20, 0.6);
#endif
  rgCheckGradient(registered, 16, 0.6);
  rgCheckGradient(byIndex, 20, 0.6);
  return rgReport();
}
