// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: openblas
// RG-FLAGS: -lcublas
//
// cuBLAS on triangles and Hermitian matrices of few diagonals, and rotations that keep weights: reverse against forward
// mode and differences, for each triangle, operation, diagonal, width and step, numbers on the host and on the device,
// each way that a rotation takes, in two rounds over buffers that are overwritten.
#include "rgdirections.h"
#include <cmath>
#include <cublas_v2.h>
#include <cuda_runtime.h>

enum { Tbmv, Tbsv, Hbmv, Rotmg, Routines };
// What the differentiated function computes.
static struct {
  int routine, t, fill, diag, k, inc, device;
  double scale[4]; // of the numbers of a rotation
} w;
enum { N = 5, Rows = 4, Size = 3 * N * Rows };

// Of any size.
template <class R> __global__ void soften(R *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = x[i] < 0 ? -log(1 - x[i]) : log(1 + x[i]);
}
#define TRIANGLES(C, P)                                                                                                \
  static cublasStatus_t triangle(cublasHandle_t h, C *A, C *Y) {                                                       \
    cublasOperation_t t = (cublasOperation_t)w.t;                                                                      \
    cublasFillMode_t u = (cublasFillMode_t)w.fill;                                                                     \
    cublasDiagType_t d = (cublasDiagType_t)w.diag;                                                                     \
    return w.routine == Tbmv ? cublas##P##tbmv(h, u, t, d, N, w.k, A, Rows, Y, w.inc)                                  \
                             : cublas##P##tbsv(h, u, t, d, N, w.k, A, Rows, Y, w.inc);                                 \
  }
TRIANGLES(double, D)
TRIANGLES(float, S)
TRIANGLES(cuDoubleComplex, Z)
TRIANGLES(cuComplex, C)
#define REAL(C, P)                                                                                                     \
  static cublasStatus_t call(cublasHandle_t h, C *A, C *, C *Y, C *a, C *) {                                           \
    if (w.routine != Rotmg)                                                                                            \
      return triangle(h, A, Y);                                                                                        \
    C *p = a + 4; /* two weights, two numbers and the five that it makes */                                            \
    cublasStatus_t E = cublas##P##rotmg(h, a, a + 1, a + 2, a + 3, p);                                                 \
    cudaMemcpy(Y, a, 9 * sizeof *a, w.device ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice);                     \
    return E;                                                                                                          \
  }
REAL(double, D)
REAL(float, S)
#define COMPLEX(C, P)                                                                                                  \
  static cublasStatus_t call(cublasHandle_t h, C *A, C *B, C *Y, C *a, C *b) {                                         \
    return w.routine == Hbmv ? cublas##P##hbmv(h, (cublasFillMode_t)w.fill, N, w.k, a, A, Rows, B, w.inc, b, Y, -w.inc) \
                             : triangle(h, A, Y);                                                                      \
  }
COMPLEX(cuDoubleComplex, Z)
COMPLEX(cuComplex, C)

// x: three band matrices, and nine numbers.
template <class R, class C> R f(const R *x, int) {
  enum { Parts = sizeof(C) / sizeof(R) };
  cublasHandle_t h;
  cublasCreate(&h);
  C *d, numbers[9], *on = numbers;
  R y[Parts * Size], s = 0;
  cudaMalloc(&d, (Size + 9) * sizeof(C));
  cudaMemcpy(d, x, Size * sizeof(C), cudaMemcpyHostToDevice);
  for (int i = 0; i < 9 * Parts; ++i)
    ((R *)numbers)[i] = x[Parts * Size + i] * (w.routine == Rotmg && i < 4 ? R(w.scale[i]) : 1);
  if (w.device) {
    cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE);
    cudaMemcpy(d + Size, numbers, sizeof numbers, cudaMemcpyHostToDevice);
    on = d + Size;
  }
  for (int round = 0; round < 2; ++round) { // the second works on what the first left
    if (call(h, d, d + N * Rows, d + 2 * N * Rows, on, on + 1) != CUBLAS_STATUS_SUCCESS)
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

template <class R, class C> void check(const R *numbers = nullptr) {
  enum { Parts = sizeof(C) / sizeof(R), Numbers = Parts * (Size + 9) };
  std::vector<R> x(Numbers);
  for (int i = 0; i < Numbers; ++i)
    x[i] = R(0.3) + R(0.01) * (i * 5 % 17) - R(0.37) * (i % 3 == 1);
  if (w.routine == Tbsv) // triangles that can be solved
    for (int j = 0; j < N; ++j)
      x[Parts * (j * Rows + (w.fill == CUBLAS_FILL_MODE_UPPER ? w.k : 0))] += R(1.5);
  for (int i = 0; numbers && i < 4; ++i)
    x[Parts * Size + i] = numbers[i];
  rgCheckDirections<R>(f<R, C>, x);
}

int main() {
  int tries = 0;
  for (w.routine = 0; w.routine < Rotmg; ++w.routine)
    for (w.t = 0; w.t < (w.routine == Hbmv ? 1 : 3); ++w.t)
      for (w.fill = 0; w.fill < 2; ++w.fill)
        for (w.diag = 0; w.diag < (w.routine == Hbmv ? 1 : 2); ++w.diag)
          for (w.k = 0; w.k < 4; ++w.k, ++tries) {
            int steps[] = {1, -1, 2, -2};
            w.inc = steps[(w.k + w.t + w.fill) % 4];
            w.device = tries & 1;
            check<double, cuDoubleComplex>();
            if (tries % 3 == 0)
              check<float, cuComplex>();
            if (w.routine == Hbmv)
              continue;
            check<double, double>();
            if (tries % 3 == 0)
              check<float, float>();
          }
  // Either number the greater, weights that are negative, that are zero, and that are scaled.
  const double ways[][4] = {{0.7, 0.4, 1.3, 0.6}, {0.4, 0.9, 0.5, 1.4}, {0.7, -0.2, 1.3, 0.6}, {0.3, -0.9, 0.5, 1.4},
                            {-0.7, 0.4, 1.3, 0.6}};
  const double scales[][2] = {{1, 1}, {0x1p28, 0x1p28}, {0x1p-28, 0x1p-28}, {0x1p-28, 1}, {1, 0x1p60}, {1, 0}};
  for (int device = 0; device < 2; ++device)
    for (auto &scale : scales)
      for (auto &way : ways) {
        if (way[0] < 0 && !scale[1])
          continue; // BLAS libraries differ
        w = {Rotmg, 0, 0, 0, 0, 1, device, {scale[0], scale[1], 1, 1}};
        float narrow[] = {(float)way[0], (float)way[1], (float)way[2], (float)way[3]};
        check<float, float>(narrow);
        check<double, double>(way);
      }
  return rgReport();
}
