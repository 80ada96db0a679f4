// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RG-FLAGS: -lcurand
//
// Random numbers that kernels draw: states in memory of the device, whose members are numbers, too.
#include "gradients.h"
#include <cuda_runtime.h>
#include <curand_kernel.h>

template <class State> __global__ void begin(State *s, unsigned long long seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curand_init(seed, i, 3, &s[i]);
}
template <class State> __global__ void walk(State *states, const double *x, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  State s = states[i];
  double v = x[i % n];
  for (int k = 0; k < 5; k++)
    v *= exp(x[(i + k) % n] * 0.1 * curand_normal_double(&s) + 0.01 * curand_uniform(&s));
  states[i] = s;
  out[i] = v;
}
template <class State> double walks(const double *x, int n) {
  const int threads = 24;
  State *s;
  double *d, *out, sum = 0;
  std::vector<double> h(threads);
  cudaMalloc(&s, threads * sizeof(State));
  cudaMalloc(&d, n * sizeof(double));
  cudaMalloc(&out, threads * sizeof(double));
  cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
  begin<<<2, threads / 2>>>(s, 42);
  for (int t = 0; t < 2; t++) {
    walk<<<2, threads / 2>>>(s, d, out, n);
    cudaMemcpy(h.data(), out, threads * sizeof(double), cudaMemcpyDeviceToHost);
    for (double v : h)
      sum += v * v;
  }
  cudaFree(s), cudaFree(d), cudaFree(out);
  return sum;
}
int main() {
  rgCheckGradient(walks<curandState>, 10, 0.6);
  rgCheckGradient(walks<curandStatePhilox4_32_10_t>, 10, 0.6);
  return rgReport();
}
