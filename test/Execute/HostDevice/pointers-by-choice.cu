// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose pointers lie in arrays and structs of the thread's own, and are chosen there by number or condition.
#include "gradients.h"
#include <cuda_runtime.h>
struct Row {
  double *p;
  int n;
  __device__ double &operator()(int i) const { return p[(i + n) % n]; }
};
struct Rows {
  Row now, next;
  double k;
};
struct Pair {
  double *p[2];
  double k;
  int n;
};
__global__ void whole(Rows r, int steps) {
  int i = threadIdx.x;
  for (int t = 0; t < steps; ++t) {
    Row from = t % 2 ? r.next : r.now, to = t % 2 ? r.now : r.next;
    to(i) = from(i) + r.k * (from(i - 1) - from(i + 1)) * from(i);
    __syncthreads();
  }
}
__global__ void array(double *a, double *b, int n, int steps) {
  double *both[2] = {a, b};
  int i = threadIdx.x;
  for (int t = 0; t < steps; ++t) {
    both[1 - (t & 1)][i] += 0.1 * both[t & 1][(i + 1) % n] * both[t & 1][i];
    __syncthreads();
  }
}
__global__ void copied(Pair q, int steps) {
  int i = threadIdx.x;
  Pair r = q;
  if (steps > 2) {
    r.p[0] = q.p[1];
    r.p[1] = q.p[0];
  }
  for (int t = 0; t < steps; ++t) {
    r.p[t & 1][i] += q.k * sin(r.p[!(t & 1)][(i + 1) % q.n]);
    __syncthreads();
  }
}
double f(const double *x, int n) {
  double *a, *b, s = 0;
  std::vector<double> y(n);
  cudaMalloc(&a, n * sizeof(double));
  cudaMalloc(&b, n * sizeof(double));
  cudaMemcpy(a, x, n * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemset(b, 0, n * sizeof(double));
  whole<<<1, n>>>(Rows{{a, n}, {b, n}, x[0]}, 3);
  array<<<1, n>>>(a, b, n, 3);
  copied<<<1, n>>>(Pair{{a, b}, x[3], n}, 3);
  copied<<<1, n>>>(Pair{{b, a}, x[4], n}, 2);
  cudaMemcpy(y.data(), b, n * sizeof(double), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++)
    s += y[i] * y[i] * (1 + i % 3);
  cudaFree(a), cudaFree(b);
  return s;
}
int main() {
  rgCheckGradient(f, 20, 0.6);
  return rgReport();
}
