// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: openblas
// RG-FLAGS: -lcublas
//
// cuBLAS on banded and packed matrices, rotations, products on one triangle, products with fewer multiplications, and sums
// of magnitudes of complex numbers: reverse against forward mode and differences, for real and complex numbers, each
// triangle, operation, diagonal and step, numbers on the host and on the device, in two rounds over buffers that are
// overwritten.
#include "rgdirections.h"
#include <cmath>
#include <cublas_v2.h>
#include <cuda_runtime.h>

enum { Gbmv, Tpttr, Trttp, Syrkx, Tpmv, Tpsv, Packed, Rank, RankTwo, Rot, Rotg, Index, Own, Other, Routines };
// What the differentiated function computes.
static struct {
  int routine, t, fill, diag, inc, device;
} w;
enum { N = 4, Size = 3 * N * N };

template <class R> __global__ void soften(R *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = sin(x[i]) + R(0.5) * x[i];
}
// What the host makes of a routine's number goes on where the program goes on: a number on the device, too.
template <class R> static void store(R *to, R value, bool device) {
  if (device)
    cudaMemcpy(to, &value, sizeof value, cudaMemcpyHostToDevice);
  else
    *to = value;
}
#define COMMON(C, R, P, I)                                                                                             \
  static cublasStatus_t common(cublasHandle_t h, C *A, C *B, C *Y, C *a, C *b) {                                       \
    cublasOperation_t t = (cublasOperation_t)w.t;                                                                      \
    cublasFillMode_t u = (cublasFillMode_t)w.fill;                                                                     \
    cublasDiagType_t d = (cublasDiagType_t)w.diag;                                                                     \
    switch (w.routine) {                                                                                               \
    case Gbmv: return cublas##P##gbmv(h, t, 3, 4, 1, w.diag ? 0 : 2, a, A, N, B, w.inc, b, Y, -w.inc);                  \
    case Tpttr: return cublas##P##tpttr(h, u, 3, A, Y, N);                                                             \
    case Trttp: return cublas##P##trttp(h, u, 3, A, N, Y + 2);                                                         \
    case Syrkx: return cublas##P##syrkx(h, u, w.t ? CUBLAS_OP_T : CUBLAS_OP_N, 3, 2, a, A, N, B, N, b, Y, N);          \
    case Tpmv: return cublas##P##tpmv(h, u, t, d, 3, A, Y, w.inc);                                                     \
    case Tpsv: return cublas##P##tpsv(h, u, t, d, 3, A, Y, w.inc);                                                     \
    case Rot: return cublas##P##rot(h, 3, A, w.inc, Y, -w.inc, (const R *)a, b);                                       \
    case Rotg: {                                                                                                       \
      cublasStatus_t E = cublas##P##rotg(h, a, b, (R *)(a + 2), a + 3);                                                \
      cudaMemcpy(Y, a, 4 * sizeof *a, w.device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice);                   \
      return E;                                                                                                        \
    }                                                                                                                  \
    case Index: {                                                                                                      \
      int at[2] = {}, *on = at;                                                                                        \
      if (w.device)                                                                                                    \
        cudaMalloc(&on, sizeof at);                                                                                    \
      cublasStatus_t E = cublasI##I##amax(h, 4, A, 1, on);                                                             \
      if (!E)                                                                                                          \
        E = cublasI##I##amin(h, 4, A, 1, on + 1);                                                                      \
      if (w.device)                                                                                                    \
        cudaMemcpy(at, on, sizeof at, cudaMemcpyDeviceToHost), cudaFree(on);                                           \
      return E ? E : cudaMemcpy(Y, A + at[0] + at[1] - 2, sizeof *A, cudaMemcpyDeviceToDevice) ? CUBLAS_STATUS_EXECUTION_FAILED : E; \
    }                                                                                                                  \
    }                                                                                                                  \
    return CUBLAS_STATUS_NOT_SUPPORTED;                                                                                \
  }
COMMON(double, double, D, d)
COMMON(float, float, S, s)
COMMON(cuDoubleComplex, double, Z, z)
COMMON(cuComplex, float, C, c)

#define REAL(C, P)                                                                                                     \
  static cublasStatus_t call(cublasHandle_t h, C *A, C *B, C *Y, C *a, C *b) {                                         \
    cublasFillMode_t u = (cublasFillMode_t)w.fill;                                                                     \
    switch (w.routine) {                                                                                               \
    case Packed: return cublas##P##spmv(h, u, 3, a, A, B, w.inc, b, Y, -w.inc);                                        \
    case Rank: return cublas##P##spr(h, u, 3, a, A, w.inc, Y);                                                         \
    case RankTwo: return cublas##P##spr2(h, u, 3, a, A, w.inc, B, -w.inc, Y);                                          \
    case Own: return cublas##P##sbmv(h, u, 4, w.diag ? 1 : 2, a, A, N, B, w.inc, b, Y, -w.inc);                        \
    case Other: { /* its kind, and the four numbers beside a */                                                        \
      store(a, C(w.diag ? w.t == 2 ? -2 : 1 : w.t - 1), w.device);                                                     \
      return cublas##P##rotm(h, 3, B, w.inc, Y, -w.inc, a);                                                            \
    }                                                                                                                  \
    }                                                                                                                  \
    return common(h, A, B, Y, a, b);                                                                                   \
  }
REAL(double, D)
REAL(float, S)
#define COMPLEX(C, R, P, N_, S)                                                                                        \
  static cublasStatus_t call(cublasHandle_t h, C *A, C *B, C *Y, C *a, C *b) {                                         \
    cublasFillMode_t u = (cublasFillMode_t)w.fill;                                                                     \
    switch (w.routine) {                                                                                               \
    case Packed: return cublas##P##hpmv(h, u, 3, a, A, B, w.inc, b, Y, -w.inc);                                        \
    case Rank: return cublas##P##hpr(h, u, 3, (const R *)a, A, w.inc, Y);                                              \
    case RankTwo: return cublas##P##hpr2(h, u, 3, a, A, w.inc, B, -w.inc, Y);                                          \
    case Own: return cublas##P##herkx(h, u, w.t ? CUBLAS_OP_C : CUBLAS_OP_N, 3, 2, a, A, N, B, N, (const R *)b, Y, N); \
    case Other:                                                                                                        \
      if (w.diag && w.t)                                                                                               \
        return cublas##S##rot(h, 3, A, w.inc, Y, -w.inc, (const R *)a, (const R *)b);                                  \
      if (w.diag) { /* the sum is the first number of Y */                                                             \
        R sum = 0;                                                                                                     \
        cublasStatus_t E = cublas##N_##asum(h, 3, A, w.inc > 0 ? w.inc : 1, w.device ? (R *)Y : &sum);                 \
        if (!w.device)                                                                                                 \
          cudaMemcpy(Y, &sum, sizeof sum, cudaMemcpyHostToDevice);                                                     \
        return E;                                                                                                      \
      }                                                                                                                \
      return cublas##P##gemm3m(h, (cublasOperation_t)w.t, CUBLAS_OP_N, 3, 2, 3, a, A, N, B, N, b, Y, N);               \
    }                                                                                                                  \
    return common(h, A, B, Y, a, b);                                                                                   \
  }
COMPLEX(cuDoubleComplex, double, Z, Dz, Zd)
COMPLEX(cuComplex, float, C, Sc, Cs)

// x: three matrices of N x N numbers, and five numbers.
template <class R, class C> R f(const R *x, int) {
  enum { Parts = sizeof(C) / sizeof(R) };
  cublasHandle_t h;
  cublasCreate(&h);
  C *d, numbers[5], *on = numbers;
  R y[Parts * Size], s = 0;
  cudaMalloc(&d, (Size + 5) * sizeof(C));
  cudaMemcpy(d, x, Size * sizeof(C), cudaMemcpyHostToDevice);
  for (int i = 0; i < 5 * Parts; ++i)
    ((R *)numbers)[i] = x[Parts * Size + i];
  if (w.device) {
    cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE);
    cudaMemcpy(d + Size, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    on = d + Size;
  }
  for (int round = 0; round < 2; ++round) { // the second works on what the first left
    if (call(h, d, d + N * N, d + 2 * N * N, on, on + 1) != CUBLAS_STATUS_SUCCESS)
      return NAN;
    soften<<<2, 64>>>((R *)d, Parts * Size); // changes what was read
  }
  cudaMemcpy(y, d, Size * sizeof(C), cudaMemcpyDeviceToHost);
  for (int i = 0; i < Parts * Size; ++i)
    s += y[i] * y[i] * (1 + i % 7) * R(0.1);
  cudaFree(d);
  cublasDestroy(h);
  return s;
}

template <class R, class C> void check() {
  enum { Parts = sizeof(C) / sizeof(R), Numbers = Parts * (Size + 5) };
  std::vector<R> x(Numbers);
  for (int i = 0; i < Numbers; ++i)
    x[i] = R(0.3) + R(0.01) * (i * 5 % 17) - R(0.37) * (i % 3 == 1);
  if (w.routine == Tpsv) // triangles that can be solved
    for (int i = 0; i < 6; ++i)
      x[Parts * i] += R(1.5);
  rgCheckDirections<R>(f<R, C>, x);
}

int main() {
  for (w.routine = 0; w.routine < Routines; ++w.routine) {
    int r = w.routine, tries = 0;
    bool ops = r == Gbmv || r == Syrkx || r == Tpmv || r == Tpsv || r >= Own;
    bool diags = r == Gbmv || r == Tpmv || r == Tpsv || r >= Own;
    bool fills = r != Gbmv && r != Rot && r != Rotg && r != Index && r != Other;
    bool steps = r == Gbmv || (r >= Tpmv && r <= Rot) || r >= Own;
    for (w.t = 0; w.t < (ops ? 3 : 1); ++w.t)
      for (w.fill = 0; w.fill < (fills ? 2 : 1); ++w.fill)
        for (w.diag = 0; w.diag < (diags ? 2 : 1); ++w.diag)
          for (w.inc = steps ? -2 : 1; w.inc <= (steps ? 2 : 1); w.inc += w.inc == -2 ? 3 : 1, ++tries) {
            w.device = tries & 1;
            check<double, double>();
            check<double, cuDoubleComplex>();
            if (tries % 3 == 0) {
              check<float, float>();
              check<float, cuComplex>();
            }
          }
  }
  return rgReport();
}
