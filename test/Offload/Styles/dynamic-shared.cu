// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several arrays in dynamic shared memory, counts at barriers, transposition, a product with two buffers.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cuda_runtime.h>
template <typename T> struct SharedMemory {
  __device__ inline operator T *() {
    extern __shared__ int __smem[];
    return (T *)__smem;
  }
  __device__ inline operator const T *() const {
    extern __shared__ int __smem[];
    return (T *)__smem;
  }
};
template <typename T> __global__ void tsum(const T *x, T *o) {
  T *s = SharedMemory<T>();
  s[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (unsigned h = blockDim.x / 2; h; h >>= 1) {
    if (threadIdx.x < h)
      s[threadIdx.x] += s[threadIdx.x + h];
    __syncthreads();
  }
  if (!threadIdx.x)
    o[blockIdx.x] = s[0];
}
struct Part {
  double m;
  int k;
};
__global__ void carved(const float *x, const int *key, double *out, int *cnt, int nf, int ni) {
  extern __shared__ __align__(16) char raw[];
  float *f = (float *)raw;
  int *hist = (int *)(f + nf);
  Part *parts = (Part *)(((size_t)(hist + ni) + 15) & ~(size_t)15);
  unsigned short *us = (unsigned short *)&parts[blockDim.x / 32];
  int t = threadIdx.x;
  f[t] = x[t];
  for (int i = t; i < ni; i += blockDim.x)
    hist[i] = 0;
  us[t] = key[t];
  __syncthreads();
  atomicAdd(&hist[us[t] % ni], 1);
  double s = f[t] * f[nf - 1 - t];
  for (int o = 16; o; o >>= 1)
    s += __shfl_xor_sync(~0u, s, o);
  if (t % 32 == 0)
    parts[t / 32] = {s, t};
  __syncthreads();
  if (t == 0) {
    double r = 0;
    for (int i = 0; i < blockDim.x / 32; i++)
      r += parts[i].m + parts[i].k;
    *out = r;
  }
  for (int i = t; i < ni; i += blockDim.x)
    cnt[i] = hist[i];
}
__global__ void counts(const int *x, int *o) {
  int v = x[blockIdx.x * blockDim.x + threadIdx.x];
  int c = __syncthreads_count(v > 4), a = __syncthreads_and(v >= 0), r = __syncthreads_or(v == 9);
  if (threadIdx.x == 0) {
    o[blockIdx.x * 3] = c;
    o[blockIdx.x * 3 + 1] = a != 0;
    o[blockIdx.x * 3 + 2] = r != 0;
  }
}
template <int TILE, int ROWS> __global__ void transpose(float *o, const float *in, int w, int h) {
  __shared__ float t[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    if (x < w && y + j < h)
      t[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
  __syncthreads();
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    if (x < h && y + j < w)
      o[(y + j) * h + x] = t[threadIdx.x][threadIdx.y + j];
}
__global__ void sgemm(int M, int N, int K, const float *A, const float *B, float *C) {
  const int BM = 32, BN = 32, BK = 8, TM = 4;
  __shared__ float As[2][BK][BM], Bs[2][BK][BN];
  int tx = threadIdx.x % 32, ty = threadIdx.x / 32;
  float acc[TM] = {};
  auto load = [&](int buf, int k0) {
    int t = threadIdx.x;
    {
      int r = t / BK, c = t % BK, gr = blockIdx.y * BM + r, gc = k0 + c;
      As[buf][c][r] = gr < M && gc < K ? A[gr * K + gc] : 0;
    }
    {
      int r = t / BN, c = t % BN, gr = k0 + r, gc = blockIdx.x * BN + c;
      Bs[buf][r][c] = gr < K && gc < N ? B[gr * N + gc] : 0;
    }
  };
  int buf = 0;
  load(0, 0);
  __syncthreads();
  for (int k0 = 0; k0 < K; k0 += BK) {
    if (k0 + BK < K)
      load(buf ^ 1, k0 + BK);
    for (int k = 0; k < BK; k++) {
      float b = Bs[buf][k][tx];
#pragma unroll
      for (int i = 0; i < TM; i++)
        acc[i] += As[buf][k][ty * TM + i] * b;
    }
    buf ^= 1;
    __syncthreads();
  }
  for (int i = 0; i < TM; i++) {
    int r = blockIdx.y * BM + ty * TM + i, c = blockIdx.x * BN + tx;
    if (r < M && c < N)
      C[r * N + c] = acc[i];
  }
}
int main() {
  double *d, *od;
  float *f, *of;
  int *k, *c;
  cudaMallocManaged(&d, 2048);
  cudaMallocManaged(&od, 64);
  cudaMallocManaged(&f, 1024);
  cudaMallocManaged(&of, 64);
  cudaMallocManaged(&k, 4096);
  cudaMallocManaged(&c, 4096);
  double r = 0;
  for (int i = 0; i < 256; i++) {
    d[i] = f[i] = i % 9;
    k[i] = (i * 7) % 10;
  }
  for (int i = 0; i < 128; i++)
    r += d[i];
  tsum<double><<<2, 128, 1024>>>(d, od);
  tsum<float><<<2, 128, 512>>>(f, of);
  CHECK(cudaDeviceSynchronize());
  EXPECT(od[0] == r && of[0] == r);
  carved<<<1, 256, 256 * 4 + 10 * 4 + 16 + 8 * 16 + 512>>>(f, k, od, c, 256, 10);
  CHECK(cudaDeviceSynchronize());
  r = 0;
  int h[10] = {};
  for (int i = 0; i < 256; i++)
    r += f[i] * f[255 - i], h[k[i] % 10]++;
  for (int i = 0; i < 8; i++)
    r += 32 * i;
  EXPECT(*od == r);
  for (int i = 0; i < 10; i++)
    EXPECT(c[i] == h[i]);
  counts<<<2, 100>>>(k, c);
  CHECK(cudaDeviceSynchronize());
  int n4 = 0;
  for (int i = 0; i < 100; i++)
    n4 += k[i] > 4;
  EXPECT(c[0] == n4 && c[1] == 1 && c[2] == 1);
  int w = 70, hh = 45;
  float *a, *b;
  cudaMallocManaged(&a, w * hh * 4);
  cudaMallocManaged(&b, w * hh * 4);
  for (int i = 0; i < w * hh; i++)
    a[i] = i;
  transpose<32, 8><<<dim3(3, 2), dim3(32, 8)>>>(b, a, w, hh);
  CHECK(cudaDeviceSynchronize());
  for (int y = 0; y < hh; y++)
    for (int x = 0; x < w; x++)
      EXPECT(b[x * hh + y] == a[y * w + x]);
  int M = 50, N = 45, K = 37;
  float *A, *B, *C;
  cudaMallocManaged(&A, M * K * 4);
  cudaMallocManaged(&B, K * N * 4);
  cudaMallocManaged(&C, M * N * 4);
  for (int i = 0; i < M * K; i++)
    A[i] = i % 7;
  for (int i = 0; i < K * N; i++)
    B[i] = i % 5;
  sgemm<<<dim3(2, 2), 256>>>(M, N, K, A, B, C);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      float s = 0;
      for (int q = 0; q < K; q++)
        s += A[i * K + q] * B[q * N + j];
      EXPECT(C[i * N + j] == s);
    }
  return finish();
}
