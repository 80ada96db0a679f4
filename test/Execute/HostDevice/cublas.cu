// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: openblas
// RG-FLAGS: -lcublas
//
// Every routine of cuBLAS that has a derivative: reverse against forward mode and differences,
// with each triangle, side, transposition and diagonal, steps and leading dimensions, both kinds
// of memory for numbers, buffers that kernels and routines overwrite.
#include "rgdirections.h"
#include <cmath>
#include <cstdlib>
#include <cublas_v2.h>
#include <cuda_runtime.h>

// What the differentiated function computes is chosen by these.
struct Setting {
  int routine, u, t, s, d, incx, incy, device;
};
enum { N = 5, Size = 3 * N * N };

__global__ void soften(double *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = sin(x[i]) + 0.5 * x[i];
}

enum { Dot, Nrm2, Asum, Axpy, Scal, Copy, Swap, Gemv, Ger, Symv, Syr, Syr2, Trmv, Trsv, Gemm, Symm,
       Syrk, Syr2k, Trsm, Trmm, TrmmInPlace, Geam, GeamInPlace, Dgmm, Strided, Batched, Ex, GemvStrided, GemvBatched, TrsmBatched, Routines };

// x: three matrices of N x N, and two numbers.
double f(const double *x, const Setting *w) {
  cublasHandle_t h;
  cublasCreate(&h);
  double *d, y[Size], s = 0, numbers[2] = {x[Size], x[Size + 1]}, r = 0, *on = numbers, *result = &r;
  cudaMalloc(&d, (Size + 3) * sizeof(double));
  cudaMemcpy(d, x, Size * sizeof(double), cudaMemcpyHostToDevice);
  if (w->device) {
    cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE);
    cudaMemcpy(d + Size, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    on = d + Size;
    result = d + Size + 2;
  }
  double *A = d, *B = d + N * N, *C = d + 2 * N * N, *a = on, *b = on + 1;
  cublasFillMode_t u = (cublasFillMode_t)w->u;
  cublasOperation_t t = (cublasOperation_t)w->t, t2 = (cublasOperation_t)w->u;
  cublasSideMode_t side = (cublasSideMode_t)w->s;
  cublasDiagType_t diag = (cublasDiagType_t)w->d;
  int n = N, m = 3, incx = w->incx, incy = w->incy, isNumber = w->routine <= Asum;
  for (int round = 0; round < 2; ++round) { // the second works on what the first left
    cublasStatus_t e = CUBLAS_STATUS_SUCCESS;
    switch (w->routine) {
    case Dot: e = cublasDdot(h, n, A, incx, B, incy, result); break;
    case Nrm2: e = cublasDnrm2(h, n, A, abs(incx), result); break;
    case Asum: e = cublasDasum(h, n, A, abs(incx), result); break;
    case Axpy: e = cublasDaxpy(h, n, a, A, incx, B, incy); break;
    case Scal: e = cublasDscal(h, n, a, A, abs(incx)); break;
    case Copy: e = cublasDcopy(h, n, A, incx, B, incy); break;
    case Swap: e = cublasDswap(h, n, A, incx, B, incy); break;
    case Gemv: e = cublasDgemv(h, t, m, 4, a, A, N, B, incx, b, C, incy); break;
    case Ger: e = cublasDger(h, m, 4, a, A, incx, B, incy, C, N); break;
    case Symv: e = cublasDsymv(h, u, 4, a, A, N, B, incx, b, C, incy); break;
    case Syr: e = cublasDsyr(h, u, 4, a, A, incx, C, N); break;
    case Syr2: e = cublasDsyr2(h, u, 4, a, A, incx, B, incy, C, N); break;
    case Trmv: e = cublasDtrmv(h, u, t, diag, 4, A, N, B, incx); break;
    case Trsv: e = cublasDtrsv(h, u, t, diag, 4, A, N, B, incx); break;
    case Gemm: e = cublasDgemm(h, t, t2, 3, 4, 2, a, A, N, B, N, b, C, N); break;
    case Symm: e = cublasDsymm(h, side, u, 3, 4, a, A, N, B, N, b, C, N); break;
    case Syrk: e = cublasDsyrk(h, u, t, 4, 3, a, A, N, b, C, N); break;
    case Syr2k: e = cublasDsyr2k(h, u, t, 4, 3, a, A, N, B, N, b, C, N); break;
    case Trsm: e = cublasDtrsm(h, side, u, t, diag, 3, 4, a, A, N, B, N); break;
    case Trmm: e = cublasDtrmm(h, side, u, t, diag, 3, 4, a, A, N, B, N, C, N); break;
    case TrmmInPlace: e = cublasDtrmm(h, side, u, t, diag, 3, 4, a, A, N, B, N, B, N); break;
    case Geam: e = cublasDgeam(h, t, t2, 3, 4, a, A, N, b, B, N, C, N); break;
    case GeamInPlace: e = cublasDgeam(h, CUBLAS_OP_N, t, 3, 4, a, A, N, b, B, N, A, N); break;
    case Dgmm: e = cublasDdgmm(h, side, 3, 4, A, N, B, incx, w->d ? A : C, N); break;
    case Strided: // the second matrix is all products'
      e = cublasDgemmStridedBatched(h, t, t2, 2, 2, 2, a, A, N, 2 * N, B, N, 0, b, C, N, 2 * N, 2);
      break;
    case Batched: {
      const double *as[2] = {A, A + 2}, *bs[2] = {B, B + 10};
      double *cs[2] = {C, C + 12}, **p;
      cudaMalloc(&p, sizeof as * 3);
      cudaMemcpy(p, as, sizeof as, cudaMemcpyHostToDevice);
      cudaMemcpy(p + 2, bs, sizeof bs, cudaMemcpyHostToDevice);
      cudaMemcpy(p + 4, cs, sizeof cs, cudaMemcpyHostToDevice);
      e = cublasDgemmBatched(h, t, t2, 2, 2, 2, a, p, N, p + 2, N, b, p + 4, N, 2);
      cudaFree(p);
      break;
    }
    case GemvStrided: // the vector is all products'
      e = cublasDgemvStridedBatched(h, t, 2, 2, a, A, N, 2 * N, B, incx, 0, b, C, incy, 2 * N, 2);
      break;
    case GemvBatched:
    case TrsmBatched: {
      const double *as[2] = {A, A + 12}, *xs[2] = {B, B + 10};
      double *ys[2] = {C, C + 12}, **p;
      cudaMalloc(&p, sizeof as * 3);
      cudaMemcpy(p, as, sizeof as, cudaMemcpyHostToDevice);
      cudaMemcpy(p + 2, xs, sizeof xs, cudaMemcpyHostToDevice);
      cudaMemcpy(p + 4, ys, sizeof ys, cudaMemcpyHostToDevice);
      if (w->routine == GemvBatched)
        e = cublasDgemvBatched(h, t, 2, 2, a, p, N, p + 2, incx, b, p + 4, incy, 2);
      else
        e = cublasDtrsmBatched(h, side, u, t, diag, 2, 2, a, p, N, p + 4, N, 2);
      cudaFree(p);
      break;
    }
    case Ex:
      e = cublasGemmEx(h, t, t2, 3, 4, 2, a, A, CUDA_R_64F, N, B, CUDA_R_64F, N, b, C, CUDA_R_64F, N,
                       CUBLAS_COMPUTE_64F, CUBLAS_GEMM_DEFAULT);
      break;
    }
    if (e != CUBLAS_STATUS_SUCCESS)
      return NAN;
    soften<<<2, 64>>>(d, Size); // changes what was read
    if (isNumber && w->device)
      cudaMemcpy(&r, result, sizeof r, cudaMemcpyDeviceToHost);
    if (isNumber)
      s += r * r * (round + 1);
  }
  cudaMemcpy(y, d, sizeof y, cudaMemcpyDeviceToHost);
  for (int i = 0; i < Size; ++i)
    s += y[i] * y[i] * (1 + i % 7) * 0.1;
  cudaFree(d);
  cublasDestroy(h);
  return s;
}

void check(const Setting &w) {
  double x[Size + 2];
  for (int i = 0; i < Size + 2; ++i)
    x[i] = 0.4 * sin(1.0 + 5 * i) + (i < N * N && i % (N + 1) == 0) + (i >= Size) * 0.3;
  rgCheckLanes(f, x, Size + 2, &w, true, 1e-10);
}

int main() {
  const int steps[][2] = {{1, 1}, {2, 3}, {-1, 2}, {3, -2}};
  for (int k = 0; k < Routines; ++k)
    for (int way = 0; way < 16; ++way)
      check({k, way & 1, way >> 1 & 1, way >> 2 & 1, way >> 3, steps[way % 4][0], steps[way / 4][1], way % 3 == 0});
  return rgReport();
}
