// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// REQUIRES: openblas
// RG-FLAGS: -lcublas
//
// cuBLAS of halves and bfloat16: products into numbers of 16 and of 32 bits. All numbers are multiples of an eighth
// that 16 bits hold, and the function is a square in each of them, so that central differences with a step of an
// eighth are exact where the result is; adjoints are rounded to 16 bits.
#include "rgtest.h"
#include <cmath>
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

extern int enzyme_dup, enzyme_const;
template <class R, class... T> R __enzyme_autodiff(void *, T...);
template <class R, class... T> R __enzyme_fwddiff(void *, T...);

enum { Half, HalfIntoFloat, Brain, BrainIntoFloat, Hgemm, Strided, HStrided, Batched, HBatched, Routines };
static struct {
  int routine, t, t2;
} w;
enum { Size = 8, All = 3 * Size, Numbers = All + 2 };

template <class E> __global__ void narrow(const double *x, E *y, int n) {
  if (threadIdx.x < n)
    y[threadIdx.x] = E((float)x[threadIdx.x]);
}
template <class E> __global__ void widen(const E *x, double *y, int n) {
  if (threadIdx.x < n)
    y[threadIdx.x] = (float)x[threadIdx.x];
}

// Two products of 2 x 2, a and b are numbers of the host.
template <class E, class O>
static double product(const double *x, cudaDataType type, cudaDataType into, cublasComputeType_t compute) {
  cublasHandle_t h;
  cublasCreate(&h);
  double *d, y[Size], s = 0;
  E *A;
  O *C;
  cudaMalloc(&d, All * sizeof(double));
  cudaMalloc(&A, 2 * Size * sizeof(E));
  cudaMalloc(&C, Size * sizeof(O));
  cudaMemcpy(d, x, All * sizeof(double), cudaMemcpyHostToDevice);
  narrow<<<1, 32>>>(d, A, 2 * Size);
  narrow<<<1, 32>>>(d + 2 * Size, C, Size);
  cublasOperation_t t = (cublasOperation_t)w.t, t2 = (cublasOperation_t)w.t2;
  float a = x[All], b = x[All + 1];
  E ah = E(a), bh = E(b);
  E *B = A + Size;
  cublasStatus_t e;
  if (w.routine == Hgemm)
    e = cublasHgemm(h, t, t2, 2, 2, 2, (__half *)&ah, (__half *)A, 2, (__half *)B, 2, (__half *)&bh, (__half *)C, 2);
  else if (w.routine == HStrided)
    e = cublasHgemmStridedBatched(h, t, t2, 2, 2, 2, (__half *)&ah, (__half *)A, 2, 4, (__half *)B, 2, 0, (__half *)&bh,
                                  (__half *)C, 2, 4, 2);
  else if (w.routine == Batched || w.routine == HBatched) {
    E *as[2] = {A, A + 4}, *bs[2] = {B, B}, **p;
    O *cs[2] = {C, C + 4};
    cudaMalloc(&p, sizeof as * 3);
    cudaMemcpy(p, as, sizeof as, cudaMemcpyHostToDevice);
    cudaMemcpy(p + 2, bs, sizeof bs, cudaMemcpyHostToDevice);
    cudaMemcpy(p + 4, cs, sizeof cs, cudaMemcpyHostToDevice);
    if (w.routine == Batched)
      e = cublasGemmBatchedEx(h, t, t2, 2, 2, 2, &a, (void **)p, type, 2, (void **)(p + 2), type, 2, &b,
                              (void **)(p + 4), into, 2, 2, compute, CUBLAS_GEMM_DEFAULT);
    else
      e = cublasHgemmBatched(h, t, t2, 2, 2, 2, (__half *)&ah, (__half **)p, 2, (__half **)(p + 2), 2, (__half *)&bh,
                             (__half **)(p + 4), 2, 2);
    cudaFree(p);
  } else if (w.routine == Strided)
    e = cublasGemmStridedBatchedEx(h, t, t2, 2, 2, 2, &a, A, type, 2, 4, B, type, 2, 4, &b, C, into, 2, 4, 2, compute,
                                   CUBLAS_GEMM_DEFAULT);
  else
    e = cublasGemmEx(h, t, t2, 2, 2, 2, &a, A, type, 2, B, type, 2, &b, C, into, 2, compute, CUBLAS_GEMM_DEFAULT);
  if (e != CUBLAS_STATUS_SUCCESS)
    return NAN;
  narrow<<<1, 32>>>(d + 1, A, Size); // over what was read
  widen<<<1, 32>>>(C, d, Size);
  cudaMemcpy(y, d, sizeof y, cudaMemcpyDeviceToHost);
  for (int i = 0; i < Size; ++i)
    s += y[i] * y[i] * (1 + i % 3);
  cudaFree(d), cudaFree(A), cudaFree(C);
  cublasDestroy(h);
  return s;
}
double f(const double *x) {
  switch (w.routine) {
  case HalfIntoFloat: return product<__half, float>(x, CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F);
  case Brain: return product<__nv_bfloat16, __nv_bfloat16>(x, CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F);
  case BrainIntoFloat: return product<__nv_bfloat16, float>(x, CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F);
  default: return product<__half, __half>(x, CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F);
  }
}

int main() {
  for (w.routine = 0; w.routine < Routines; ++w.routine)
    for (w.t = 0; w.t < 2; ++w.t)
      for (w.t2 = 0; w.t2 < 2; ++w.t2) {
        double x[Numbers], g[Numbers] = {}, t[Numbers], along = 0, size = 1;
        // A bfloat16 has eight bits: its results are rounded, and so are differences.
        double tolerance = w.routine == Brain ? 0.05 : w.routine == BrainIntoFloat ? 0.01 : 2e-3;
        for (int i = 0; i < Numbers; ++i)
          x[i] = ((i * 5) % 9 - 3) / 8.0, t[i] = ((i * 3) % 5 - 2) / 8.0;
        x[All] = 0.5, x[All + 1] = 0.25;
        __enzyme_autodiff<double>((void *)f, enzyme_dup, x, g);
        for (int i = 0; i < Numbers; ++i)
          along += g[i] * t[i], size = fmax(size, fabs(g[i]));
        RG_WITHIN(__enzyme_fwddiff<double>((void *)f, enzyme_dup, x, t) / size, along / size, 4 * tolerance);
        double worst = 0;
        for (int i = 0; i < Numbers; ++i) {
          double old = x[i], h = 0.125;
          x[i] = old + h;
          double up = f(x);
          x[i] = old - h;
          double down = f(x);
          x[i] = old;
          worst = fmax(worst, fabs(g[i] - (up - down) / (2 * h)));
        }
        RG_WITHIN(worst / size, 0, tolerance);
      }
  return rgReport();
}
