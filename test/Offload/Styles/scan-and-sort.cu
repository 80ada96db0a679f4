// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work-efficient scan over blocks, radix sort with it, bitonic sort, a loop until all threads agree.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <algorithm>
#include <cuda_runtime.h>
#include <vector>
#define LOG_NUM_BANKS 5
#define CONFLICT_FREE_OFFSET(n) ((n) >> LOG_NUM_BANKS)
__global__ void blelloch(int *d, int *sums, int n) {
  extern __shared__ int temp[];
  int t = threadIdx.x, B = blockDim.x * 2, base = blockIdx.x * B;
  int ai = t, bi = t + blockDim.x, oa = CONFLICT_FREE_OFFSET(ai), ob = CONFLICT_FREE_OFFSET(bi);
  temp[ai + oa] = base + ai < n ? d[base + ai] : 0;
  temp[bi + ob] = base + bi < n ? d[base + bi] : 0;
  int offset = 1;
  for (int k = B >> 1; k > 0; k >>= 1) {
    __syncthreads();
    if (t < k) {
      int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      a += CONFLICT_FREE_OFFSET(a);
      b += CONFLICT_FREE_OFFSET(b);
      temp[b] += temp[a];
    }
    offset *= 2;
  }
  if (t == 0) {
    int l = B - 1 + CONFLICT_FREE_OFFSET(B - 1);
    if (sums)
      sums[blockIdx.x] = temp[l];
    temp[l] = 0;
  }
  for (int k = 1; k < B; k *= 2) {
    offset >>= 1;
    __syncthreads();
    if (t < k) {
      int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      a += CONFLICT_FREE_OFFSET(a);
      b += CONFLICT_FREE_OFFSET(b);
      int v = temp[a];
      temp[a] = temp[b];
      temp[b] += v;
    }
  }
  __syncthreads();
  if (base + ai < n)
    d[base + ai] = temp[ai + oa];
  if (base + bi < n)
    d[base + bi] = temp[bi + ob];
}
__global__ void addup(int *d, const int *sums, int n) {
  int i = blockIdx.x * blockDim.x * 2 + threadIdx.x;
  if (i < n)
    d[i] += sums[blockIdx.x];
  if (i + blockDim.x < n)
    d[i + blockDim.x] += sums[blockIdx.x];
}
__global__ void flags(const unsigned *k, int *f, int bit, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    f[i] = !(k[i] >> bit & 1);
}
__global__ void scatter(const unsigned *k, unsigned *o, const int *f, int bit, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int zeros = f[n - 1] + !(k[n - 1] >> bit & 1);
  int one = k[i] >> bit & 1;
  o[one ? i - f[i] + zeros : f[i]] = k[i];
}
static void scan(int *d, int n) {
  int B = 256, nb = (n + B - 1) / B;
  int *s;
  cudaMallocManaged(&s, (nb + 1) * 4);
  blelloch<<<nb, B / 2, (B + 8 + B / 16) * 4>>>(d, s, n);
  if (nb > 1) {
    scan(s, nb);
    addup<<<nb, B / 2>>>(d, s, n);
  }
  cudaDeviceSynchronize();
  cudaFree(s);
}
__device__ void swapd(float &a, float &b) {
  float t = a;
  a = b;
  b = t;
}
__global__ void bitonic(float *x, int j, int k) {
  unsigned i = threadIdx.x + blockDim.x * blockIdx.x, ixj = i ^ j;
  if (ixj > i) {
    if ((i & k) == 0 ? x[i] > x[ixj] : x[i] < x[ixj])
      swapd(x[i], x[ixj]);
  }
}
__global__ void oddEven(int *g) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = g[blockIdx.x * 256 + t];
  __syncthreads();
  bool sorted = false;
  int rounds = 0;
  while (!sorted) {
    bool mine = true;
    for (int ph = 0; ph < 2; ph++) {
      int a = 2 * t + ph;
      if (a + 1 < 256 && s[a] > s[a + 1]) {
        int v = s[a];
        s[a] = s[a + 1];
        s[a + 1] = v;
        mine = false;
      }
      __syncthreads();
    }
    sorted = __syncthreads_and(mine);
    rounds++;
  }
  g[blockIdx.x * 256 + t] = s[t];
}
int main() {
  int n = 5000;
  unsigned *k, *o;
  int *f;
  cudaMallocManaged(&k, 4 * n);
  cudaMallocManaged(&o, 4 * n);
  cudaMallocManaged(&f, 4 * n);
  std::vector<unsigned> r(n);
  unsigned z = 12345;
  for (int i = 0; i < n; i++) {
    z = z * 1664525 + 1013904223;
    r[i] = k[i] = z >> 12;
  }
  std::sort(r.begin(), r.end());
  for (int b = 0; b < 20; b++) {
    flags<<<(n + 255) / 256, 256>>>(k, f, b, n);
    cudaDeviceSynchronize();
    scan(f, n);
    scatter<<<(n + 255) / 256, 256>>>(k, o, f, b, n);
    std::swap(k, o);
  }
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++)
    EXPECT(k[i] == r[i]);
  float *x;
  cudaMallocManaged(&x, 1024 * 4);
  std::vector<float> fr(1024);
  for (int i = 0; i < 1024; i++)
    fr[i] = x[i] = (i * 7919) % 1024 * .5f;
  std::sort(fr.begin(), fr.end());
  for (int kk = 2; kk <= 1024; kk <<= 1)
    for (int j = kk >> 1; j > 0; j >>= 1)
      bitonic<<<4, 256>>>(x, j, kk);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 1024; i++)
    EXPECT(x[i] == fr[i]);
  int *g;
  cudaMallocManaged(&g, 2048);
  for (int i = 0; i < 512; i++)
    g[i] = (i * 101) % 257;
  oddEven<<<2, 256>>>(g);
  CHECK(cudaDeviceSynchronize());
  for (int i = 1; i < 256; i++)
    EXPECT(g[i - 1] <= g[i] && g[255 + i] <= g[256 + i]);
  return finish();
}
