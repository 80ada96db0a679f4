// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels as in PolyBench-GPU.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cstring>
#include <cuda_runtime.h>
#define N 96
typedef float DATA_TYPE;
__global__ void gemm(DATA_TYPE *a, DATA_TYPE *b, DATA_TYPE *c, DATA_TYPE al, DATA_TYPE be) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if ((i < N) && (j < N)) {
    c[i * N + j] *= be;
    for (int k = 0; k < N; k++)
      c[i * N + j] += al * a[i * N + k] * b[k * N + j];
  }
}
__global__ void atax1(DATA_TYPE *A, DATA_TYPE *x, DATA_TYPE *tmp) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) {
    for (int j = 0; j < N; j++)
      tmp[i] += A[i * N + j] * x[j];
  }
}
__global__ void atax2(DATA_TYPE *A, DATA_TYPE *y, DATA_TYPE *tmp) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < N) {
    for (int i = 0; i < N; i++)
      y[j] += A[i * N + j] * tmp[i];
  }
}
__global__ void mean_kernel(DATA_TYPE *mean, DATA_TYPE *data) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < N) {
    mean[j] = 0;
    for (int i = 0; i < N; i++)
      mean[j] += data[i * N + j];
    mean[j] /= (DATA_TYPE)N;
  }
}
__global__ void covar(DATA_TYPE *sym, DATA_TYPE *data, DATA_TYPE *mean) {
  int j1 = blockIdx.x * blockDim.x + threadIdx.x;
  if (j1 < N)
    for (int j2 = j1; j2 < N; j2++) {
      DATA_TYPE s = 0;
      for (int i = 0; i < N; i++)
        s += (data[i * N + j1] - mean[j1]) * (data[i * N + j2] - mean[j2]);
      sym[j1 * N + j2] = sym[j2 * N + j1] = s;
    }
}
__global__ void jac(DATA_TYPE *A, DATA_TYPE *B) {
  int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
  if ((i >= 1) && (i < N - 1) && (j >= 1) && (j < N - 1))
    B[i * N + j] =
        0.2f * (A[i * N + j] + A[i * N + (j - 1)] + A[i * N + (1 + j)] + A[(1 + i) * N + j] + A[(i - 1) * N + j]);
}
__global__ void gs1(DATA_TYPE *a, DATA_TYPE *r, int k) {
  if (blockIdx.x * blockDim.x + threadIdx.x == 0) {
    DATA_TYPE nrm = 0;
    for (int i = 0; i < N; i++)
      nrm += a[i * N + k] * a[i * N + k];
    r[k * N + k] = sqrt(nrm);
  }
}
__global__ void gs2(DATA_TYPE *a, DATA_TYPE *r, DATA_TYPE *q, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N)
    q[i * N + k] = a[i * N + k] / r[k * N + k];
}
__global__ void gs3(DATA_TYPE *a, DATA_TYPE *r, DATA_TYPE *q, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if ((j > k) && (j < N)) {
    r[k * N + j] = 0;
    for (int i = 0; i < N; i++)
      r[k * N + j] += q[i * N + k] * a[i * N + j];
    for (int i = 0; i < N; i++)
      a[i * N + j] -= q[i * N + k] * r[k * N + j];
  }
}
static bool near(double a, double b) { return fabs(a - b) <= 2e-3 * (1 + fabs(b)); }
int main() {
  size_t b = N * N * 4;
  float *A, *B, *C, *x, *y, *t, *S, *M, *R, *Q;
  cudaMallocManaged(&A, b);
  cudaMallocManaged(&B, b);
  cudaMallocManaged(&C, b);
  cudaMallocManaged(&S, b);
  cudaMallocManaged(&R, b);
  cudaMallocManaged(&Q, b);
  cudaMallocManaged(&x, N * 4);
  cudaMallocManaged(&y, N * 4);
  cudaMallocManaged(&t, N * 4);
  cudaMallocManaged(&M, N * 4);
  for (int i = 0; i < N; i++) {
    x[i] = 1 + (i % 4);
    y[i] = t[i] = 0;
    for (int j = 0; j < N; j++)
      A[i * N + j] = ((i * j) % 7) * .1f + (i == j), B[i * N + j] = ((i + j) % 5) * .2f, C[i * N + j] = i - j,
                R[i * N + j] = 0;
  }
  dim3 bl(32, 8), gr(N / 32, N / 8);
  gemm<<<gr, bl>>>(A, B, C, 1.5f, .5f);
  atax1<<<3, 32>>>(A, x, t);
  atax2<<<3, 32>>>(A, y, t);
  mean_kernel<<<1, 256>>>(M, A);
  covar<<<1, 256>>>(S, A, M);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < N; i += 13)
    for (int j = 0; j < N; j += 7) {
      double s = .5 * (i - j), c = 0, m1 = 0, m2 = 0;
      for (int k = 0; k < N; k++)
        s += 1.5 * A[i * N + k] * B[k * N + j], m1 += A[k * N + i] / N, m2 += A[k * N + j] / N;
      for (int k = 0; k < N; k++)
        c += (A[k * N + i] - m1) * (A[k * N + j] - m2);
      EXPECT(near(C[i * N + j], s));
      EXPECT(near(S[i * N + j], c));
    }
  for (int j = 0; j < N; j++) {
    double s = 0;
    for (int i = 0; i < N; i++) {
      double u = 0;
      for (int k = 0; k < N; k++)
        u += A[i * N + k] * x[k];
      s += A[i * N + j] * u;
    }
    EXPECT(near(y[j], s));
  }
  jac<<<gr, bl>>>(A, B);
  CHECK(cudaDeviceSynchronize());
  EXPECT(near(B[5 * N + 6], .2 * (A[5 * N + 6] + A[5 * N + 5] + A[5 * N + 7] + A[6 * N + 6] + A[4 * N + 6])));
  memcpy(S, A, b);
  for (int k = 0; k < N; k++) {
    gs1<<<1, 256>>>(A, R, k);
    gs2<<<1, 256>>>(A, R, Q, k);
    gs3<<<1, 256>>>(A, R, Q, k);
  }
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < N; i += 5)
    for (int j = 0; j < N; j += 9) {
      double s = 0;
      for (int k = 0; k < N; k++)
        s += (double)Q[i * N + k] * (k <= j ? R[k * N + j] : 0);
      EXPECT(fabs(s - S[i * N + j]) < 1e-2);
    }
  return finish();
}
