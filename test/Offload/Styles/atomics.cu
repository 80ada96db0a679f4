// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All atomics, loops of compare-and-swap, histograms, the last block, locks.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cuda_runtime.h>
__device__ double myAtomicAdd(double *address, double val) {
  unsigned long long int *p = (unsigned long long int *)address;
  unsigned long long int old = *p, assumed;
  do {
    assumed = old;
    old = atomicCAS(p, assumed, __double_as_longlong(val + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}
__device__ float atomicMaxf(float *a, float v) {
  int *ia = (int *)a;
  int old = *ia, as;
  do {
    as = old;
    old = ::atomicCAS(ia, as, __float_as_int(::fmaxf(v, __int_as_float(as))));
  } while (as != old);
  return __int_as_float(old);
}
__device__ float atomicMulf(float *a, float v) {
  int *i = (int *)a;
  int old = *i, as;
  do {
    as = old;
    old = atomicCAS(i, as, __float_as_int(v * __int_as_float(as)));
  } while (as != old);
  return __int_as_float(old);
}
__global__ void all(int *x, unsigned *u, unsigned long long *l, float *f, double *d, long long *s) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  atomicAdd(&x[0], 10);
  atomicSub(&x[1], 10);
  atomicExch(&x[2], t);
  atomicMax(&x[3], t);
  atomicMin(&x[4], t);
  atomicInc((unsigned *)&x[5], 17);
  atomicDec((unsigned *)&x[6], 137);
  atomicCAS(&x[7], t - 1, t);
  atomicAnd(&x[8], 2 * t + 7);
  atomicOr(&x[9], 1 << (t % 31));
  atomicXor(&x[10], t);
  atomicAdd(u, 3u);
  atomicMax(u + 1, (unsigned)t);
  atomicAdd(l, 5ull);
  atomicMax(l + 1, (unsigned long long)t << 33);
  atomicMin(l + 2, (unsigned long long)t);
  atomicAnd(l + 3, ~(1ull << (t % 64)));
  atomicOr(l + 4, 1ull << (t % 64));
  atomicXor(l + 5, (unsigned long long)t);
  atomicExch(l + 6, 9ull);
  atomicCAS(l + 7, 0ull, 77ull);
  atomicAdd(f, 0.5f);
  atomicMaxf(f + 1, t * 1.5f);
  atomicExch(f + 2, 3.0f);
  atomicAdd(d, 0.25);
  myAtomicAdd(d + 1, 0.125);
  atomicAdd_block(x + 11, 1);
  atomicAdd_system(x + 12, 1);
  atomicMin(s, -(long long)t);
  atomicMax(s + 1, (long long)t);
  atomicAdd_block(f + 3, 1.f);
  atomicMax_block(x + 13, t);
  atomicCAS_system(x + 14, 0, 5);
  if (t < 10)
    atomicMulf(f + 4, 2.f);
}
__global__ void hist(const unsigned char *b, long n, unsigned *h) {
  __shared__ unsigned t[256];
  t[threadIdx.x] = 0;
  __syncthreads();
  int i = threadIdx.x + blockIdx.x * blockDim.x, off = blockDim.x * gridDim.x;
  while (i < n) {
    atomicAdd(&t[b[i]], 1);
    i += off;
  }
  __syncthreads();
  atomicAdd(&h[threadIdx.x], t[threadIdx.x]);
}
// lock-based critical section per block and last-block reduction
__device__ unsigned int retirementCount = 0;
__device__ int mutex_ = 0;
__global__ void lastBlock(const float *in, volatile float *part, float *out, int n) {
  __shared__ float s[128];
  __shared__ bool amLast;
  int t = threadIdx.x;
  float v = 0;
  for (int i = blockIdx.x * 128 + t; i < n; i += 128 * gridDim.x)
    v += in[i];
  s[t] = v;
  __syncthreads();
  for (int h = 64; h; h >>= 1) {
    if (t < h)
      s[t] += s[t + h];
    __syncthreads();
  }
  if (t == 0) {
    part[blockIdx.x] = s[0];
    __threadfence();
    unsigned ticket = atomicInc(&retirementCount, gridDim.x);
    amLast = (ticket == gridDim.x - 1);
  }
  __syncthreads();
  if (amLast) {
    float r = 0;
    for (int i = t; i < gridDim.x; i += 128)
      r += part[i];
    s[t] = r;
    __syncthreads();
    for (int h = 64; h; h >>= 1) {
      if (t < h)
        s[t] += s[t + h];
      __syncthreads();
    }
    if (t == 0) {
      *out = s[0];
      retirementCount = 0;
    }
  }
}
__global__ void locked(int *data) {
  if (threadIdx.x == 0) {
    while (atomicCAS(&mutex_, 0, 1) != 0)
      ;
    int v = *(volatile int *)data;
    *(volatile int *)data = v + 1;
    __threadfence();
    atomicExch(&mutex_, 0);
  }
}
int main() {
  int *x;
  unsigned *u;
  unsigned long long *l;
  float *f;
  double *d;
  long long *s;
  cudaMallocManaged(&x, 80);
  cudaMallocManaged(&u, 8);
  cudaMallocManaged(&l, 64);
  cudaMallocManaged(&f, 20);
  cudaMallocManaged(&d, 16);
  cudaMallocManaged(&s, 16);
  for (int i = 0; i < 20; i++)
    x[i] = 0;
  x[4] = 1 << 30;
  x[8] = 0xff;
  x[7] = -1;
  u[0] = u[1] = 0;
  for (int i = 0; i < 8; i++)
    l[i] = 0;
  l[2] = ~0ull;
  l[3] = ~0ull;
  for (int i = 0; i < 5; i++)
    f[i] = 0;
  f[4] = 1;
  d[0] = d[1] = 0;
  s[0] = s[1] = 0;
  int N = 64 * 256;
  all<<<64, 256>>>(x, u, l, f, d, s);
  CHECK(cudaDeviceSynchronize());
  EXPECT(x[0] == 10 * N);
  EXPECT(x[1] == -10 * N);
  EXPECT(x[3] == N - 1);
  EXPECT(x[4] == 0);
  int lim = 17, val = 0;
  for (int i = 0; i < N; i++)
    val = val >= lim ? 0 : val + 1;
  EXPECT(x[5] == val);
  lim = 137;
  val = 0;
  for (int i = 0; i < N; i++)
    val = (val == 0 || val > lim) ? lim : val - 1;
  EXPECT(x[6] == val);
  val = 0xff;
  for (int i = 0; i < N; i++)
    val &= 2 * i + 7;
  EXPECT(x[8] == val);
  EXPECT(x[9] == 0x7fffffff);
  val = 0;
  for (int i = 0; i < N; i++)
    val ^= i;
  EXPECT(x[10] == val);
  EXPECT(x[11] == N && x[12] == N && x[13] == N - 1 && x[14] == 5);
  EXPECT(u[0] == 3u * N && u[1] == N - 1);
  EXPECT(l[0] == 5ull * N);
  EXPECT(l[1] == (unsigned long long)(N - 1) << 33);
  EXPECT(l[2] == 0 && l[3] == 0 && l[4] == ~0ull && l[5] == val && l[6] == 9 && l[7] == 77);
  EXPECT(f[0] == 0.5f * N && f[1] == 1.5f * (N - 1) && f[2] == 3 && f[3] == N && f[4] == 1024);
  EXPECT(d[0] == 0.25 * N && d[1] == 0.125 * N);
  EXPECT(s[0] == -(N - 1) && s[1] == N - 1);
  long n = 100000;
  unsigned char *b;
  unsigned *h;
  cudaMallocManaged(&b, n);
  cudaMallocManaged(&h, 1024);
  unsigned r[256] = {};
  for (int i = 0; i < n; i++) {
    b[i] = (i * 31 + i / 7) & 255;
    r[b[i]]++;
  }
  cudaMemset(h, 0, 1024);
  hist<<<16, 256>>>(b, n, h);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 256; i++)
    EXPECT(h[i] == r[i]);
  float *in, *part, *out;
  cudaMallocManaged(&in, 40000);
  cudaMallocManaged(&part, 400);
  cudaMallocManaged(&out, 4);
  for (int i = 0; i < 10000; i++)
    in[i] = i % 3;
  for (int k = 0; k < 3; k++) {
    *out = 0;
    lastBlock<<<50, 128>>>(in, part, out, 10000);
    CHECK(cudaDeviceSynchronize());
    EXPECT(*out == 9999);
  }
  int *data;
  cudaMallocManaged(&data, 4);
  *data = 0;
  locked<<<200, 32>>>(data);
  CHECK(cudaDeviceSynchronize());
  EXPECT(*data == 200);
  return finish();
}
