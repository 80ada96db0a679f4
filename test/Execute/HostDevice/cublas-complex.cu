// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: openblas
// RG-FLAGS: -lcublas
//
// cuBLAS of complex numbers, in single and double precision: reverse against forward mode and differences,
// for each pair of operations (none, transposed, conjugated), side, triangle and diagonal, steps and leading dimensions, both kinds of
// memory for numbers, buffers that kernels and routines overwrite.
#include "rgdirections.h"
#include <cmath>
#include <cstdlib>
#include <cublas_v2.h>
#include <cuda_runtime.h>

enum { Dotu, Dotc, Nrm2, Axpy, Scal, RealScal, Copy, Swap, Gemv, Geru, Gerc, Trsm, Trmm, TrmmInPlace, Gemm, Strided, Batched, Ex, Routines };
// What the differentiated function computes.
static struct {
  int routine, t, t2, incx, incy, device, side, fill, diag;
} w;
enum { N = 4, Size = 3 * N * N, Numbers = 2 * Size + 4 };

template <class R> __global__ void soften(R *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = sin(x[i]) + R(0.5) * x[i];
}

// A triangular matrix that is far from singular.
template <class C> __global__ void dominate(C *A, int n) {
  if (threadIdx.x < n)
    A[threadIdx.x * (n + 1)].x += 2;
}

// The routines of one precision.
#define ROUTINES(R, C, P, NORM, SCALE, TYPE, COMPUTE)                                                                  \
  static cublasStatus_t call(cublasHandle_t h, C *A, C *B, C *Y, const C *a, const C *b, C *result) {                  \
    cublasOperation_t t = (cublasOperation_t)w.t, t2 = (cublasOperation_t)w.t2;                                        \
    cublasSideMode_t side = (cublasSideMode_t)w.side;                                                                  \
    cublasFillMode_t u = (cublasFillMode_t)w.fill;                                                                     \
    cublasDiagType_t d = (cublasDiagType_t)w.diag;                                                                     \
    int incx = w.incx, incy = w.incy, n = 4;                                                                           \
    switch (w.routine) {                                                                                               \
    case Dotu: return cublas##P##dotu(h, n, A, incx, B, incy, result);                                                 \
    case Dotc: return cublas##P##dotc(h, n, A, incx, B, incy, result);                                                 \
    case Nrm2: return NORM(h, n, A, abs(incx), (R *)result);                                                           \
    case Axpy: return cublas##P##axpy(h, n, a, A, incx, B, incy);                                                      \
    case Scal: return cublas##P##scal(h, n, a, A, abs(incx));                                                          \
    case RealScal: return SCALE(h, n, (const R *)a, A, abs(incx));                                                     \
    case Copy: return cublas##P##copy(h, n, A, incx, B, incy);                                                         \
    case Swap: return cublas##P##swap(h, n, A, incx, B, incy);                                                         \
    case Gemv: return cublas##P##gemv(h, t, 2, 3, a, A, N, B, incx, b, Y, incy);                                       \
    case Geru: return cublas##P##geru(h, 2, 3, a, A, incx, B, incy, Y, N);                                             \
    case Gerc: return cublas##P##gerc(h, 2, 3, a, A, incx, B, incy, Y, N);                                             \
    case Trsm:                                                                                                         \
      dominate<<<1, 32>>>(A, N);                                                                                       \
      return cublas##P##trsm(h, side, u, t, d, 2, 3, a, A, N, B, N);                                                   \
    case Trmm: return cublas##P##trmm(h, side, u, t, d, 2, 3, a, A, N, B, N, Y, N);                                    \
    case TrmmInPlace: return cublas##P##trmm(h, side, u, t, d, 2, 3, a, A, N, B, N, B, N);                             \
    case Gemm: return cublas##P##gemm(h, t, t2, 2, 3, 2, a, A, N, B, N, b, Y, N);                                      \
    case Strided: /* the second matrix is all products' */                                                             \
      return cublas##P##gemmStridedBatched(h, t, t2, 2, 2, 2, a, A, N, 2 * N, B, N, 0, b, Y, N, 2 * N, 2);             \
    case Batched: {                                                                                                    \
      const C *as[2] = {A, A + 2}, *bs[2] = {B, B + 8};                                                                \
      C *cs[2] = {Y, Y + 8}, **p;                                                                                      \
      cudaMalloc(&p, sizeof as * 3);                                                                                   \
      cudaMemcpy(p, as, sizeof as, cudaMemcpyHostToDevice);                                                            \
      cudaMemcpy(p + 2, bs, sizeof bs, cudaMemcpyHostToDevice);                                                        \
      cudaMemcpy(p + 4, cs, sizeof cs, cudaMemcpyHostToDevice);                                                        \
      cublasStatus_t e = cublas##P##gemmBatched(h, t, t2, 2, 2, 2, a, p, N, p + 2, N, b, p + 4, N, 2);                 \
      cudaFree(p);                                                                                                     \
      return e;                                                                                                        \
    }                                                                                                                  \
    case Ex:                                                                                                           \
      return cublasGemmEx(h, t, t2, 2, 3, 2, a, A, TYPE, N, B, TYPE, N, b, Y, TYPE, N, COMPUTE, CUBLAS_GEMM_DEFAULT);  \
    }                                                                                                                  \
    return CUBLAS_STATUS_NOT_SUPPORTED;                                                                                \
  }
ROUTINES(double, cuDoubleComplex, Z, cublasDznrm2, cublasZdscal, CUDA_C_64F, CUBLAS_COMPUTE_64F)
ROUTINES(float, cuComplex, C, cublasScnrm2, cublasCsscal, CUDA_C_32F, CUBLAS_COMPUTE_32F)

// x: three matrices of N x N complex numbers, and two numbers.
template <class R, class C> R f(const R *x, int) {
  cublasHandle_t h;
  cublasCreate(&h);
  C *d;
  R y[Numbers], s = 0, r[2] = {};
  C numbers[2] = {{x[2 * Size], x[2 * Size + 1]}, {x[2 * Size + 2], x[2 * Size + 3]}};
  const C *on = numbers;
  C *result = (C *)r;
  cudaMalloc(&d, (Size + 3) * sizeof(C));
  cudaMemcpy(d, x, Size * sizeof(C), cudaMemcpyHostToDevice);
  if (w.device) {
    cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE);
    cudaMemcpy(d + Size, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    on = d + Size;
    result = d + Size + 2;
  }
  for (int round = 0; round < 2; ++round) { // the second works on what the first left
    if (call(h, d, d + N * N, d + 2 * N * N, on, on + 1, result) != CUBLAS_STATUS_SUCCESS)
      return NAN;
    soften<<<2, 64>>>((R *)d, 2 * Size); // changes what was read
    if (w.routine <= Nrm2) {
      if (w.device)
        cudaMemcpy(r, result, sizeof r, cudaMemcpyDeviceToHost);
      s += (r[0] * r[0] + R(0.3) * (w.routine == Nrm2 ? 0 : r[1] * r[0])) * (round + 1);
    }
  }
  cudaMemcpy(y, d, 2 * Size * sizeof(R), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 2 * Size; ++i)
    s += y[i] * y[i] * (1 + i % 7) * R(0.1);
  cudaFree(d);
  cublasDestroy(h);
  return s;
}

// Along three directions; in single precision forward mode against reverse mode alone.
template <class R, class C> void check() {
  std::vector<R> x(Numbers);
  for (int i = 0; i < Numbers; ++i)
    x[i] = R(0.2) + R(0.01) * (i * 5 % 17);
  rgCheckDirections<R>(f<R, C>, x, 3);
}

int main() {
  for (w.routine = 0; w.routine < Routines; ++w.routine) {
    bool triangular = w.routine >= Trsm && w.routine <= TrmmInPlace;
    bool ops = w.routine == Gemv || triangular || w.routine >= Gemm, second = w.routine >= Gemm;
    for (w.t = 0; w.t < (ops ? 3 : 1); ++w.t)
      for (w.t2 = 0; w.t2 < (second ? 3 : 1); ++w.t2)
        for (w.device = 0; w.device < 2; ++w.device) {
          w.incx = w.device ? -2 : 1;
          w.incy = w.device ? 2 : -1;
          for (int kind = 0; kind < (triangular ? 8 : 1); ++kind) {
            w.side = kind & 1, w.fill = kind >> 1 & 1, w.diag = kind >> 2;
            check<double, cuDoubleComplex>();
            if (!w.device)
              check<float, cuComplex>();
          }
        }
  }
  return rgReport();
}
