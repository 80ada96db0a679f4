// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: openblas
// RG-FLAGS: -lcublas
//
// cuBLAS of complex numbers with symmetric, Hermitian and triangular matrices, sums and diagonal products, and batches of
// vectors and of triangular systems: reverse against forward mode and differences, for each side, triangle, operation
// and diagonal, leading dimensions beyond the rows, steps, numbers on the host and on the device that are anything,
// zero or one, in two rounds over buffers that are overwritten.
#include "rgdirections.h"
#include <cmath>
#include <cstdlib>
#include <cublas_v2.h>
#include <cuda_runtime.h>

enum { Symm, Hemm, Syrk, Syr2k, Trmv, Trsv, Geam, GeamInPlace, Dgmm, DgmmInPlace, GemvStrided, GemvBatched,
       TrsmBatched, Routines };
// What the differentiated function computes.
static struct {
  int routine, t, t2, side, fill, diag, inc, device, numbers;
} w;
enum { N = 4, Size = 3 * N * N, Numbers = 2 * Size + 4 };
static double given[4];

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
#define ROUTINES(R, C, P)                                                                                              \
  static cublasStatus_t call(cublasHandle_t h, C *A, C *B, C *Y, const C *a, const C *b) {                             \
    cublasOperation_t t = (cublasOperation_t)w.t, t2 = (cublasOperation_t)w.t2;                                        \
    cublasSideMode_t side = (cublasSideMode_t)w.side;                                                                  \
    cublasFillMode_t u = (cublasFillMode_t)w.fill;                                                                     \
    cublasDiagType_t d = (cublasDiagType_t)w.diag;                                                                     \
    switch (w.routine) {                                                                                               \
    case Symm: return cublas##P##symm(h, side, u, 2, 3, a, A, N, B, N, b, Y, N);                                       \
    case Hemm: return cublas##P##hemm(h, side, u, 2, 3, a, A, N, B, N, b, Y, N);                                       \
    case Syrk: return cublas##P##syrk(h, u, t, 3, 2, a, A, N, b, Y, N);                                                \
    case Syr2k: return cublas##P##syr2k(h, u, t, 3, 2, a, A, N, B, N, b, Y, N);                                        \
    case Trmv: return cublas##P##trmv(h, u, t, d, 3, A, N, B, w.inc);                                                  \
    case Trsv: dominate<<<1, 32>>>(A, N); return cublas##P##trsv(h, u, t, d, 3, A, N, B, w.inc);                       \
    case Geam: return cublas##P##geam(h, t, t2, 2, 3, a, A, N, b, B, N, Y, N);                                         \
    case GeamInPlace: return cublas##P##geam(h, CUBLAS_OP_N, t, 2, 3, a, A, N, b, B, N, A, N);                         \
    case Dgmm: return cublas##P##dgmm(h, side, 2, 3, A, N, B, w.inc, Y, N);                                            \
    case DgmmInPlace: return cublas##P##dgmm(h, side, 2, 3, A, N, B, w.inc, A, N);                                     \
    case GemvStrided: /* the vector is all products' */                                                                \
      return cublas##P##gemvStridedBatched(h, t, 2, 2, a, A, N, 2 * N, B, w.inc, 0, b, Y, 1, N, 2);                    \
    case GemvBatched: case TrsmBatched: {                                                                              \
      const C *as[2] = {A, A + 2}, *xs[2] = {B, B + 8};                                                                \
      C *ys[2] = {Y, Y + 8}, **p;                                                                                      \
      cudaMalloc(&p, sizeof as * 3);                                                                                   \
      cudaMemcpy(p, as, sizeof as, cudaMemcpyHostToDevice);                                                            \
      cudaMemcpy(p + 2, xs, sizeof xs, cudaMemcpyHostToDevice);                                                        \
      cudaMemcpy(p + 4, ys, sizeof ys, cudaMemcpyHostToDevice);                                                        \
      cublasStatus_t e;                                                                                                \
      if (w.routine == GemvBatched)                                                                                    \
        e = cublas##P##gemvBatched(h, t, 2, 2, a, p, N, p + 2, w.inc, b, p + 4, 1, 2);                                 \
      else {                                                                                                           \
        soften<<<1, 64>>>((R *)A, 2 * N * N);                                                                          \
        dominate<<<1, 32>>>(A, N), dominate<<<1, 32>>>(A + 2, N);                                                      \
        e = cublas##P##trsmBatched(h, side, u, t, d, 2, 2, a, p, N, p + 4, N, 2);                                      \
      }                                                                                                                \
      cudaFree(p);                                                                                                     \
      return e;                                                                                                        \
    }                                                                                                                  \
    }                                                                                                                  \
    return CUBLAS_STATUS_NOT_SUPPORTED;                                                                                \
  }
ROUTINES(double, cuDoubleComplex, Z)
ROUTINES(float, cuComplex, C)

// x: three matrices of N x N complex numbers, and two numbers.
template <class R, class C> R f(const R *x, int) {
  cublasHandle_t h;
  cublasCreate(&h);
  C *d;
  R y[Numbers], s = 0, v[4];
  for (int i = 0; i < 4; ++i) // what varies, or what varies about (0, 0) or (1, 0)
    v[i] = w.numbers ? x[2 * Size + i] - R(given[i]) + (i % 2 == 0 && (i / 2 == 0) == (w.numbers == 1)) : x[2 * Size + i];
  C numbers[2] = {{v[0], v[1]}, {v[2], v[3]}};
  const C *on = numbers;
  cudaMalloc(&d, (Size + 2) * sizeof(C));
  cudaMemcpy(d, x, Size * sizeof(C), cudaMemcpyHostToDevice);
  if (w.device) {
    cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE);
    cudaMemcpy(d + Size, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    on = d + Size;
  }
  for (int round = 0; round < 2; ++round) { // the second works on what the first left
    if (call(h, d, d + N * N, d + 2 * N * N, on, on + 1) != CUBLAS_STATUS_SUCCESS)
      return NAN;
    soften<<<2, 64>>>((R *)d, 2 * Size); // changes what was read
  }
  cudaMemcpy(y, d, 2 * Size * sizeof(R), cudaMemcpyDeviceToHost);
  for (int i = 0; i < 2 * Size; ++i)
    s += y[i] * y[i] * (1 + i % 7) * R(0.1);
  cudaFree(d);
  cublasDestroy(h);
  return s;
}

// Along two directions; in single precision forward mode against reverse mode alone.
template <class R, class C> void check() {
  std::vector<R> x(Numbers);
  for (int i = 0; i < Numbers; ++i)
    x[i] = R(0.2) + R(0.01) * (i * 5 % 17) - R(0.3) * (i % 3 == 1);
  for (int i = 0; i < 4; ++i)
    given[i] = x[2 * Size + i];
  rgCheckDirections<R>(f<R, C>, x);
}

int main() {
  for (w.routine = 0; w.routine < Routines; ++w.routine) {
    int r = w.routine;
    bool two = r == Geam, side = r <= Hemm || r == Dgmm || r == DgmmInPlace || r == TrsmBatched;
    bool fill = r <= Trsv || r == TrsmBatched, diag = r == Trmv || r == Trsv || r == TrsmBatched;
    bool ops = !(r <= Hemm || r == Dgmm || r == DgmmInPlace);
    int tries = 0;
    for (w.t = 0; w.t < (ops ? 3 : 1); ++w.t) {
      if ((r == Syrk || r == Syr2k) && w.t == CUBLAS_OP_C)
        continue; // BLAS has none
      for (w.t2 = 0; w.t2 < (two ? 3 : 1); ++w.t2)
        for (w.side = 0; w.side < 1 + side; ++w.side)
          for (w.fill = 0; w.fill < 1 + fill; ++w.fill)
            for (w.diag = 0; w.diag < 1 + diag; ++w.diag, ++tries) {
              w.device = tries & 1;
              w.inc = tries % 3 == 0 ? 1 : tries % 3 == 1 ? -2 : 2;
              for (w.numbers = 0; w.numbers < 3; ++w.numbers) {
                check<double, cuDoubleComplex>();
                if (!w.numbers)
                  check<float, cuComplex>();
              }
            }
    }
  }
  return rgReport();
}
