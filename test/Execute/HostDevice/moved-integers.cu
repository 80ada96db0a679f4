// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers that one kernel computes from active numbers and others move: unoptimised, their types are known where they are computed, and not where they are moved.
#include "gradients.h"
#include <cuda_runtime.h>
__global__ void bins(const double *d, int *bin, int n) {
  int i = threadIdx.x;
  if (i < n)
    bin[i] = (int)(d[i] * 137) % 6;
}
__global__ void ranks(const int *bin, long *place, int n) {
  int i = threadIdx.x, rank = 0;
  if (i >= n)
    return;
  for (int j = 0; j < n; ++j)
    rank += bin[j] < bin[i] || (bin[j] == bin[i] && j < i);
  place[rank] = i;
}
template <class T> __global__ void take(const T *from, const long *place, T *to, int n) {
  int i = threadIdx.x;
  if (i < n)
    to[i] = from[place[i]];
}
template <class T> __global__ void copy(const T *from, T *to, int n) {
  int i = threadIdx.x;
  if (i < n)
    to[i] = from[i];
}
template <class T> static void order(T *what, const long *place, int n) {
  T *other;
  cudaMalloc(&other, n * sizeof(T));
  take<<<1, 64>>>(what, place, other, n);
  copy<<<1, 64>>>(other, what, n);
  cudaFree(other);
}
double f(const double *x, int n) {
  double *d, y[3];
  int *bin;
  long *place;
  cudaMalloc(&d, n * sizeof(double));
  cudaMalloc(&bin, n * sizeof(int));
  cudaMalloc(&place, n * sizeof(long));
  cudaMemcpy(d, x, n * sizeof(double), cudaMemcpyHostToDevice);
  bins<<<1, 64>>>(d, bin, n);
  ranks<<<1, 64>>>(bin, place, n);
  order(bin, place, n);
  order(d, place, n);
  cudaMemcpy(y, d + 5, sizeof y, cudaMemcpyDeviceToHost);
  cudaFree(d), cudaFree(bin), cudaFree(place);
  return y[0] * y[1] + sin(y[2]);
}
int main() {
  rgCheckGradient(f, 50, 0.6);
  return rgReport();
}
