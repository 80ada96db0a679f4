// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maxima and minima over all blocks of a launch: by the bits of a number, and by loops of compare
// and exchange in each form that programs have.
#include "gradients.h"
#include <cuda_runtime.h>

using Word = unsigned long long;

__device__ void mostByBits(float *to, float v) { atomicMax((int *)to, __float_as_int(v)); }
__device__ double mostOfBoth(double *to, double v) {
  Word *p = (Word *)to, old = *p, seen;
  do {
    seen = old;
    old = atomicCAS(p, seen, __double_as_longlong(fmax(v, __longlong_as_double(seen))));
  } while (seen != old);
  return __longlong_as_double(old);
}
__device__ void leastByChoice(double *to, double v) {
  Word *p = (Word *)to, old = *p, seen;
  do {
    seen = old;
    double was = __longlong_as_double(seen);
    old = atomicCAS(p, seen, __double_as_longlong(was < v ? was : v));
  } while (seen != old);
}
__device__ void mostWhileLarger(double *to, double v) {
  Word *p = (Word *)to, old = *p;
  while (v > __longlong_as_double(old)) {
    Word seen = old;
    old = atomicCAS(p, seen, __double_as_longlong(v));
  }
}
__device__ void leastUntilDone(double *to, double v) {
  Word *p = (Word *)to, old = *p;
  while (v < __longlong_as_double(old)) {
    Word seen = old;
    old = atomicCAS(p, seen, __double_as_longlong(v));
    if (old == seen)
      break;
  }
}

// Of one number per thread.
__global__ void extrema(const double *x, double *to, float *bits, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    double v = x[i];
    mostByBits(bits, (float)(v * v));
    mostOfBoth(to, sin(v));
    leastByChoice(to + 1, v * v);
    mostWhileLarger(to + 2, v * v * v);
    leastUntilDone(to + 3, v - v * v * 0.1);
  }
}
// Of the thread's share, one after the other.
__global__ void ofShares(const double *__restrict__ x, double *__restrict__ to, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    mostWhileLarger(to, x[i] * x[i]);
    leastByChoice(to + 1, x[i] * x[(i + 1) % n]);
  }
}
// In memory of the block.
__global__ void ofBlocks(const double *x, double *to, int n) {
  __shared__ double most, least;
  if (threadIdx.x == 0)
    most = -1e300, least = 1e300;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    double v = x[i];
    mostOfBoth(&most, v);
    leastUntilDone(&least, v * v);
  }
  __syncthreads();
  if (threadIdx.x == 0)
    to[blockIdx.x] = most * least;
}
__global__ void use(const double *x, const double *to, const float *bits, double *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = exp(x[i] - to[0]) * to[1] + to[2] * *bits - to[3] * to[4] + x[i] * to[5] + to[6] * to[7];
}

double f(const double *x, int n) {
  double *d, *y, *to, sum = 0;
  const double none[] = {-1e300, 1e300, -1e300, 1e300, -1e300, 1e300, 0, 0};
  float *bits;
  cudaMalloc(&d, n * sizeof(double));
  cudaMalloc(&y, n * sizeof(double));
  cudaMalloc(&to, sizeof none);
  cudaMalloc(&bits, sizeof(float));
  cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemcpy(to, none, sizeof none, cudaMemcpyHostToDevice);
  cudaMemset(bits, 0, sizeof(float));
  extrema<<<3, 16>>>(d, to, bits, n);
  ofShares<<<2, 8>>>(d, to + 4, n);
  ofBlocks<<<2, 32>>>(d, to + 6, n);
  use<<<2, 32>>>(d, to, bits, y, n);
  std::vector<double> h(n);
  cudaMemcpy(h.data(), y, n * sizeof(double), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++)
    sum += (1 + i % 2) * h[i];
  cudaFree(d);
  cudaFree(y);
  cudaFree(to);
  cudaFree(bits);
  return sum;
}

int main() {
  const int n = 37;
  std::vector<double> x(n), g(n), t(n);
  double along = 0, slope = 0;
  for (int i = 0; i < n; i++) {
    x[i] = 0.4 + 0.01 * (i * 5 % 37);
    t[i] = 0.1 * (i % 5) - 0.15;
  }
  __enzyme_autodiff<double>((void *)f, enzyme_dup, x.data(), g.data(), enzyme_const, n);
  for (int i = 0; i < n; i++) {
    along += t[i] * g[i];
    double old = x[i], h = 1e-3; // floats among them
    x[i] = old + h;
    double up = f(x.data(), n);
    x[i] = old - h;
    double down = f(x.data(), n);
    x[i] = old;
    slope += t[i] * (up - down) / (2 * h);
    RG_WITHIN((up - down) / (2 * h), g[i], 2e-2);
  }
  RG_WITHIN(slope, along, 1e-2);
  RG_WITHIN(__enzyme_fwddiff<double>((void *)f, enzyme_dup, x.data(), t.data(), enzyme_const, n), along, 1e-6);
  return rgReport();
}
