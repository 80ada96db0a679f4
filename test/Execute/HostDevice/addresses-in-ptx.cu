// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inline PTX whose addresses are numbers: of parameters, of members of a struct by value, and of variables of the
// device; several steps of arithmetic away. What such a kernel reads is kept, and what it writes has a derivative.
#include "gradients.h"
#include <cuda_runtime.h>

__device__ double sums[2];
struct Row {
  double *to;
  int n;
};
__global__ void square(size_t unused, const double *x, Row row) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= row.n)
    return;
  double v;
  size_t from = (size_t)x + 8 * (size_t)i;
  asm("ld.global.f64 %0, [%1];" : "=d"(v) : "l"(i % 2 ? from : (size_t)(x + i)));
  asm volatile("st.global.f64 [%0], %1;" ::"l"(__cvta_generic_to_global(row.to + i)), "d"(v * v + unused) : "memory");
}
__global__ void weigh(const double *y, int n) {
  if (threadIdx.x < 2) {
    double sum = 0;
    for (int i = threadIdx.x; i < n; i += 2)
      sum += y[i] * y[i + 1];
    asm volatile("st.f64 [%0], %1;" ::"l"((size_t)&sums[threadIdx.x]), "d"(sum) : "memory");
  }
}

double f(const double *x, int n) {
  double *d, *e, s = 0, y[2];
  cudaMalloc(&d, n * sizeof(double));
  cudaMalloc(&e, (n + 1) * sizeof(double));
  cudaMemset(e, 0, (n + 1) * sizeof(double));
  cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
  for (int k = 0; k < 3; k++) {
    square<<<2, 16>>>(k, d, Row{e, n});
    cudaMemcpy(d, e, n * sizeof(double), cudaMemcpyDeviceToDevice);
    weigh<<<1, 32>>>(e, n);
    cudaMemcpyFromSymbol(y, sums, sizeof y);
    s += y[0] - 2 * y[1] * y[0];
  }
  cudaFree(d), cudaFree(e);
  return s;
}

int main() {
  rgCheckGradient(f, 24, 0.3);
  return rgReport();
}
