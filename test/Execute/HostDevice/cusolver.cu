// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: openblas
// RG-FLAGS: -lcusolver -lcublas
//
// Factorisations of cuSOLVER and their solvers: reverse against forward mode and differences, with
// and without pivots, transposed, for each triangle, of matrices that are not square, with buffers
// that are overwritten.
#include "rgdirections.h"
#include <cmath>
#include <cuda_runtime.h>
#include <cusolverDn.h>

enum { N = 5, R = 3, Size = (N + 2) * N * 2 + N * R * 2 };
struct Setting {
  int cholesky, flag, pivots, shape, solves;
};

template <class T> __global__ void soften(T *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = x[i] + T(0.1) * sin(x[i]);
}

cusolverStatus_t size(cusolverDnHandle_t h, int m, int n, double *A, int ld, int *l) { return cusolverDnDgetrf_bufferSize(h, m, n, A, ld, l); }
cusolverStatus_t size(cusolverDnHandle_t h, int m, int n, float *A, int ld, int *l) { return cusolverDnSgetrf_bufferSize(h, m, n, A, ld, l); }
cusolverStatus_t size(cusolverDnHandle_t h, cublasFillMode_t u, int n, double *A, int ld, int *l) { return cusolverDnDpotrf_bufferSize(h, u, n, A, ld, l); }
cusolverStatus_t size(cusolverDnHandle_t h, cublasFillMode_t u, int n, float *A, int ld, int *l) { return cusolverDnSpotrf_bufferSize(h, u, n, A, ld, l); }
cusolverStatus_t lu(cusolverDnHandle_t h, int m, int n, double *A, int ld, double *w, int *p, int *i) { return cusolverDnDgetrf(h, m, n, A, ld, w, p, i); }
cusolverStatus_t lu(cusolverDnHandle_t h, int m, int n, float *A, int ld, float *w, int *p, int *i) { return cusolverDnSgetrf(h, m, n, A, ld, w, p, i); }
cusolverStatus_t solve(cusolverDnHandle_t h, cublasOperation_t t, double *A, int *p, double *B, int *i) { return cusolverDnDgetrs(h, t, N, R, A, N + 2, p, B, N, i); }
cusolverStatus_t solve(cusolverDnHandle_t h, cublasOperation_t t, float *A, int *p, float *B, int *i) { return cusolverDnSgetrs(h, t, N, R, A, N + 2, p, B, N, i); }
cusolverStatus_t factor(cusolverDnHandle_t h, cublasFillMode_t u, double *A, double *w, int l, int *i) { return cusolverDnDpotrf(h, u, N, A, N + 2, w, l, i); }
cusolverStatus_t factor(cusolverDnHandle_t h, cublasFillMode_t u, float *A, float *w, int l, int *i) { return cusolverDnSpotrf(h, u, N, A, N + 2, w, l, i); }
cusolverStatus_t solve(cusolverDnHandle_t h, cublasFillMode_t u, double *A, double *B, int *i) { return cusolverDnDpotrs(h, u, N, R, A, N + 2, B, N, i); }
cusolverStatus_t solve(cusolverDnHandle_t h, cublasFillMode_t u, float *A, float *B, int *i) { return cusolverDnSpotrs(h, u, N, R, A, N + 2, B, N, i); }

template <class T> double f(const double *x, const Setting *w) {
  T host[Size], *d, *work;
  for (int i = 0; i < Size; i++)
    host[i] = x[i];
  int *pivots, *info, bytes = 0, ok;
  cudaMalloc(&d, sizeof host);
  cudaMalloc(&pivots, N * sizeof(int));
  cudaMalloc(&info, sizeof(int));
  cudaMemcpy(d, host, sizeof host, cudaMemcpyHostToDevice);
  cusolverDnHandle_t h;
  cusolverDnCreate(&h);
  T *A = d, *B = d + 2 * (N + 2) * N;
  int m = w->shape == 1 ? N - 2 : N, n = w->shape == 2 ? N - 2 : N;
  cublasFillMode_t u = w->flag ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  if (w->cholesky)
    size(h, u, N, A, N + 2, &bytes);
  else
    size(h, m, n, A, N + 2, &bytes);
  cudaMalloc(&work, (bytes + 1) * sizeof(T));
  for (int round = 0; round < 2; ++round) {
    if (w->cholesky)
      factor(h, u, A, work, bytes, info);
    else
      lu(h, m, n, A, N + 2, work, w->pivots ? pivots : nullptr, info);
    cudaMemcpy(&ok, info, sizeof ok, cudaMemcpyDeviceToHost);
    if (ok)
      return NAN;
    for (int s = 0; s < w->solves; ++s)
      if (w->cholesky)
        solve(h, u, A, B + s * N * R, info);
      else
        solve(h, w->flag ? CUBLAS_OP_T : CUBLAS_OP_N, A, w->pivots ? pivots : nullptr, B + s * N * R, info);
    soften<<<2, 64>>>(d, Size); // changes what was read
    A += (N + 2) * N;           // the next matrix
  }
  cusolverDnDestroy(h);
  cudaMemcpy(host, d, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(d), cudaFree(pivots), cudaFree(info), cudaFree(work);
  double s = 0;
  for (int i = 0; i < Size; ++i)
    s += host[i] * host[i] * (1 + i % 7) * 0.1;
  return s;
}

template <class T> void check(const Setting &w) {
  double x[Size];
  bool exact = sizeof(T) == sizeof(double);
  for (int i = 0; i < Size; ++i)
    x[i] = 0.7 * sin(1.0 + 5 * i);
  for (int k = 0; k < 2; ++k)
    for (int i = 0; i < N; ++i) // with pivots the largest are not on the diagonal
      x[k * (N + 2) * N + (w.pivots && !w.cholesky && w.shape == 0 ? (i + 2) % N : i) + i * (N + 2)] += 4;
  rgCheckLanes(f<T>, x, Size, &w, exact, exact ? 1e-10 : 1e-3);
}

int main() {
  for (int flag = 0; flag < 2; ++flag)
    for (int solves = 0; solves < 3; ++solves) {
      check<double>({1, flag, 0, 0, solves});
      for (int pivots = 0; pivots < 2; ++pivots)
        for (int shape = 0; shape < (solves ? 1 : 3); ++shape)
          check<double>({0, flag, pivots, shape, solves});
    }
  check<float>({1, 0, 0, 0, 1});
  check<float>({0, 0, 1, 0, 1});
  return rgReport();
}
