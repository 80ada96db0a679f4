// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: openblas
// RG-FLAGS: -lcublas
//
// cuBLAS of complex numbers: updates of Hermitian matrices by products, and of symmetric and Hermitian ones by vectors, and their
// products with vectors: reverse against forward mode and differences, for each triangle, operation and step, a leading
// dimension beyond the rows, numbers on the host and on the device that are anything, zero or one, in two rounds over
// buffers that are overwritten.
#include "rgdirections.h"
#include <cmath>
#include <cublas_v2.h>
#include <cuda_runtime.h>

enum { Herk, Her2k, Symv, Hemv, Syr, Her, Syr2, Her2, Routines };
// What the differentiated function computes.
static struct {
  int routine, t, fill, inc, device, numbers;
} w;
enum { N = 4, Size = 3 * N * N, Numbers = 2 * Size + 4 };
static double given[4];

template <class R> __global__ void soften(R *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = sin(x[i]) + R(0.5) * x[i];
}
// The routines of one precision.
#define ROUTINES(R, C, P)                                                                                              \
  static cublasStatus_t call(cublasHandle_t h, C *A, C *B, C *Y, const C *a, const C *b) {                             \
    cublasOperation_t t = (cublasOperation_t)w.t;                                                                      \
    cublasFillMode_t u = (cublasFillMode_t)w.fill;                                                                     \
    switch (w.routine) {                                                                                               \
    case Herk: return cublas##P##herk(h, u, t, 3, 2, &a->x, A, N, &b->x, Y, N);                                        \
    case Her2k: return cublas##P##her2k(h, u, t, 3, 2, a, A, N, B, N, &b->x, Y, N);                                    \
    case Symv: return cublas##P##symv(h, u, 3, a, A, N, B, w.inc, b, Y, -w.inc);                                       \
    case Hemv: return cublas##P##hemv(h, u, 3, a, A, N, B, w.inc, b, Y, -w.inc);                                       \
    case Syr: return cublas##P##syr(h, u, 3, a, A, w.inc, Y, N);                                                       \
    case Her: return cublas##P##her(h, u, 3, &a->x, A, w.inc, Y, N);                                                   \
    case Syr2: return cublas##P##syr2(h, u, 3, a, A, w.inc, B, -w.inc, Y, N);                                          \
    case Her2: return cublas##P##her2(h, u, 3, a, A, w.inc, B, -w.inc, Y, N);                                          \
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
    int r = w.routine, tries = 0;
    bool jumps = r == Herk || r == Her2k || r == Her || r == Her2;
    for (w.t = 0; w.t < (r <= Her2k ? 3 : 1); ++w.t) {
      if (w.t == CUBLAS_OP_T)
        continue; // BLAS has none
      for (w.fill = 0; w.fill < 2; ++w.fill)
        for (w.inc = -2; w.inc <= (r <= Her2k ? -2 : 2); w.inc += w.inc == -1 ? 2 : 1, ++tries) {
          w.device = tries & 1;
          // With a = 0 and b = 1 the diagonal of a Hermitian matrix keeps its imaginary parts, with any other a it does not.
          for (w.numbers = 0; w.numbers < (jumps ? 2 : 3); ++w.numbers) {
            check<double, cuDoubleComplex>();
            if (!w.numbers)
              check<float, cuComplex>();
          }
        }
    }
  }
  return rgReport();
}
