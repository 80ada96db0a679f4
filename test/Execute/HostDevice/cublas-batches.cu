// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: openblas
// RG-FLAGS: -lcublas
//
// Factorisations, solutions and inverses of batches by cuBLAS: reverse against forward mode and differences, with and
// without pivots, transposed, in a stream, of matrices with a leading dimension, in two rounds over buffers that are
// overwritten.
#include "rgdirections.h"
#include <cublas_v2.h>
#include <cuda_runtime.h>

enum { N = 4, Ld = 5, R = 3, Batch = 3, Factors = Ld * N, Sides = Ld * R, Size = Batch * (2 * Factors + Sides) };
struct Setting {
  int pivots, transposed, solves, inverts, stream;
};

template <class T> __global__ void soften(T *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = x[i] + T(0.1) * sin(x[i]);
}
#define BATCHES(T, P)                                                                                                  \
  static cublasStatus_t factor(cublasHandle_t h, T **A, int *p, int *info) {                                           \
    return cublas##P##getrfBatched(h, N, A, Ld, p, info, Batch);                                                       \
  }                                                                                                                    \
  static cublasStatus_t solve(cublasHandle_t h, cublasOperation_t t, T **A, int *p, T **B, int *info) {                \
    return cublas##P##getrsBatched(h, t, N, R, A, Ld, p, B, Ld, info, Batch);                                          \
  }                                                                                                                    \
  static cublasStatus_t invert(cublasHandle_t h, T **A, int *p, T **C, int *info) {                                    \
    return cublas##P##getriBatched(h, N, A, Ld, p, C, Ld, info, Batch);                                                \
  }
BATCHES(double, D)
BATCHES(float, S)

// x: matrices, places for their inverses, right sides.
template <class T> double f(const double *x, const Setting *w) {
  T y[Size], *d, *at[3 * Batch], **there;
  for (int i = 0; i < Size; ++i)
    y[i] = x[i];
  cublasHandle_t h;
  cublasCreate(&h);
  cudaStream_t stream = 0;
  if (w->stream) {
    cudaStreamCreate(&stream);
    cublasSetStream(h, stream);
  }
  int *pivots, *info, bad[Batch], wrong = 0;
  cudaMalloc(&d, sizeof y);
  cudaMalloc(&there, sizeof at);
  cudaMalloc(&pivots, N * Batch * sizeof(int));
  cudaMalloc(&info, sizeof bad);
  cudaMemcpy(d, y, sizeof y, cudaMemcpyHostToDevice);
  for (int i = 0; i < Batch; ++i) {
    at[i] = d + i * Factors;
    at[Batch + i] = d + (Batch + i) * Factors;
    at[2 * Batch + i] = d + 2 * Batch * Factors + i * Sides;
  }
  cudaMemcpy(there, at, sizeof at, cudaMemcpyHostToDevice);
  int *p = w->pivots ? pivots : nullptr;
  for (int round = 0; round < 2; ++round) {
    if (factor(h, there, p, info))
      return NAN;
    cudaStreamSynchronize(stream);
    cudaMemcpy(bad, info, sizeof bad, cudaMemcpyDeviceToHost);
    for (int b : bad)
      wrong |= b;
    for (int s = 0; s < w->solves; ++s) {
      if (solve(h, w->transposed ? CUBLAS_OP_T : CUBLAS_OP_N, there, p, there + 2 * Batch, bad))
        return NAN;
      wrong |= bad[0];
    }
    if (w->inverts && invert(h, there, p, there + Batch, info))
      return NAN;
    soften<<<4, 64, 0, stream>>>(d, Size); // changes what was read
  }
  cublasDestroy(h);
  cudaMemcpyAsync(y, d, sizeof y, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  if (w->stream)
    cudaStreamDestroy(stream);
  cudaFree(d), cudaFree(there), cudaFree(pivots), cudaFree(info);
  double s = wrong ? NAN : 0;
  for (int i = 0; i < Size; ++i)
    s += y[i] * y[i] * (1 + i % 7) * 0.1;
  return s;
}

template <class T> void check(const Setting &w) {
  double x[Size];
  for (int i = 0; i < Size; ++i)
    x[i] = 0.7 * sin(1.0 + 5 * i);
  for (int b = 0; b < Batch; ++b)
    for (int i = 0; i < N; ++i) // with pivots the largest are not on the diagonal
      x[b * Factors + (w.pivots ? (i + b) % N : i) + i * Ld] += 4;
  bool exact = sizeof(T) == sizeof(double);
  rgCheckLanes(f<T>, x, Size, &w, exact, exact ? 1e-10 : 2e-3);
}

int main() {
  for (int pivots = 0; pivots < 2; ++pivots)
    for (int transposed = 0; transposed < 2; ++transposed)
      for (int solves = transposed; solves < 3; ++solves)
        for (int inverts = 0; inverts < 2; ++inverts) {
          Setting w = {pivots, transposed, solves, inverts, (pivots + solves + inverts) & 1};
          check<double>(w);
          if (solves == 1)
            check<float>(w);
        }
  return rgReport();
}
