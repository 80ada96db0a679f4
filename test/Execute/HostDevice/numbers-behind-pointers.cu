// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that host code only copies. What they are is told by kernels alone, which find them by
// pointers that lie in memory, or move them as structs.
#include "gradients.h"
#include <cuda_runtime.h>

struct Fields {
  double *u, *f;
  const int *next;
};
__global__ void square(Fields *l, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    l->u[i] = l->f[i] * l->f[l->next[i]];
}
double fields(const double *x, int n) {
  Fields h, *d;
  std::vector<int> next(n);
  std::vector<double> u(n);
  int *at;
  for (int i = 0; i < n; i++)
    next[i] = (3 * i + 1) % n;
  cudaMalloc(&h.u, n * sizeof(double));
  cudaMalloc(&h.f, n * sizeof(double));
  cudaMalloc(&at, n * sizeof(int));
  cudaMalloc(&d, sizeof h);
  h.next = at;
  cudaMemcpy(d, &h, sizeof h, cudaMemcpyHostToDevice);
  cudaMemcpy(at, next.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(h.f, x, n * sizeof(double), cudaMemcpyHostToDevice);
  square<<<1, 8>>>(d, n);
  cudaMemcpy(u.data(), h.u, n * sizeof(double), cudaMemcpyDeviceToHost);
  double s = 0;
  for (int i = 0; i < n; i++)
    s += u[i] * (1 + i % 3);
  cudaFree(h.u), cudaFree(h.f), cudaFree(at), cudaFree(d);
  return s;
}

// Moved as structs alone: from memory to shared memory and back.
__global__ void rotate(const double2 *x, double2 *y, int n) {
  extern __shared__ double2 shared[];
  int i = threadIdx.x;
  shared[i] = x[i];
  __syncthreads();
  double2 a = shared[i], b = shared[(i + 1) % n];
  __syncthreads();
  shared[i] = make_double2(a.x * b.y - a.y, a.y * b.x + a.x);
  __syncthreads();
  y[i] = shared[n - 1 - i];
}
double structs(const double *x, int n) {
  int m = n / 2;
  double2 *a, *b;
  std::vector<double> y(2 * m);
  cudaMalloc(&a, m * sizeof *a);
  cudaMalloc(&b, m * sizeof *b);
  cudaMemcpy(a, x, m * sizeof *a, cudaMemcpyHostToDevice);
  rotate<<<1, m, m * sizeof *a>>>(a, b, m);
  cudaMemcpy(y.data(), b, m * sizeof *b, cudaMemcpyDeviceToHost);
  double s = 0;
  for (int i = 0; i < 2 * m; i++)
    s += y[i] * (1 + i % 3);
  cudaFree(a), cudaFree(b);
  return s;
}
int main() {
  rgCheckGradient(fields, 12, 0.6);
  rgCheckGradient(structs, 12, 0.6);
  return rgReport();
}
