// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structs of many members by value: tables of numbers, and lists of arrays that a kernel finds by
// an index.
#include "gradients.h"
#include <cuda_runtime.h>

struct Model {
  double weight[60];
  float bias[8];
  int n;
  double *out;
};
__global__ void weigh(const double *x, Model m) {
  int i = threadIdx.x;
  if (i < m.n)
    m.out[i] = m.weight[i] * x[i] * x[(i + 1) % m.n] + m.weight[59 - i] * m.bias[i % 8];
}
struct Table {
  double of[100];
};
__global__ void squares(Table t, double *y) { y[threadIdx.x] *= t.of[threadIdx.x] * t.of[2 * threadIdx.x]; }

static double f(const double *x, int n) {
  Model m;
  Table t;
  double *d, y[40], s = 0;
  for (int i = 0; i < 60; i++)
    m.weight[i] = x[i % n] * (1 + i % 7);
  for (int i = 0; i < 8; i++)
    m.bias[i] = 0.5f * i;
  for (int i = 0; i < 100; i++)
    t.of[i] = x[(3 * i) % n] + i;
  m.n = 40;
  cudaMalloc(&d, 40 * sizeof(double));
  cudaMalloc(&m.out, 40 * sizeof(double));
  cudaMemcpy(d, x, 40 * sizeof(double), cudaMemcpyHostToDevice);
  weigh<<<1, 40>>>(d, m);
  squares<<<1, 40>>>(t, m.out);
  cudaMemcpy(y, m.out, sizeof y, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 40; i++)
    s += 0.001 * y[i] * (1 + i % 3);
  cudaFree(d), cudaFree(m.out);
  return s;
}
int main() {
  rgCheckGradient(f, 44, 0.5);
  return rgReport();
}
