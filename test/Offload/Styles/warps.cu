// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums, scans, votes, matches and aggregated atomics by warps, as in course material.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cuda_runtime.h>
#define FULL 0xffffffffu
template <typename T> __inline__ __device__ T warpReduceSum(T v) {
  for (int o = warpSize / 2; o > 0; o >>= 1)
    v += __shfl_down_sync(FULL, v, o);
  return v;
}
template <typename T> __inline__ __device__ T blockReduceSum(T v) {
  static __shared__ T shared[32];
  int lane = threadIdx.x % warpSize, wid = threadIdx.x / warpSize;
  v = warpReduceSum(v);
  if (lane == 0)
    shared[wid] = v;
  __syncthreads();
  v = (threadIdx.x < blockDim.x / warpSize) ? shared[lane] : T(0);
  if (wid == 0)
    v = warpReduceSum(v);
  return v;
}
template <typename T> __global__ void reduceKernel(const T *in, T *out, int n) {
  T s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    s += in[i];
  s = blockReduceSum(s);
  if (threadIdx.x == 0)
    out[blockIdx.x] = s;
}
__global__ void votes(const int *x, unsigned *b, int *any, int *all, unsigned *match, unsigned *ra, int *mx,
                      long long *sh64, double *shd) {
  int i = threadIdx.x;
  b[i] = __ballot_sync(FULL, x[i] > 3);
  any[i] = __any_sync(FULL, x[i] == 7);
  all[i] = __all_sync(FULL, x[i] >= 0);
  match[i] = __match_any_sync(FULL, x[i]);
  ra[i] = __reduce_add_sync(FULL, (unsigned)x[i]);
  mx[i] = __reduce_max_sync(FULL, x[i] - 5);
  sh64[i] = __shfl_xor_sync(FULL, (long long)x[i] << 40, 3);
  shd[i] = __shfl_up_sync(FULL, x[i] * 0.5, 1, 8);
}
__global__ void scan(const int *in, int *out) {
  int lane = threadIdx.x & 31, v = in[threadIdx.x];
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    int t = __shfl_up_sync(FULL, v, d);
    if (lane >= d)
      v += t;
  }
  out[threadIdx.x] = v;
}
__global__ void aggregated(int *counter, const int *x, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] % 3 == 0) {
    unsigned m = __activemask();
    int leader = __ffs(m) - 1, lane = threadIdx.x & 31, base;
    if (lane == leader)
      base = atomicAdd(counter, __popc(m));
    base = __shfl_sync(m, base, leader);
    out[base + __popc(m & ((1u << lane) - 1))] = x[i];
  }
}
int main() {
  const int n = 10000;
  float *d, *o;
  double *dd, *od;
  CHECK(cudaMallocManaged(&d, n * 4));
  CHECK(cudaMallocManaged(&o, 64 * 4));
  CHECK(cudaMallocManaged(&dd, n * 8));
  CHECK(cudaMallocManaged(&od, 64 * 8));
  double ref = 0;
  for (int i = 0; i < n; i++) {
    d[i] = (i % 7) * 0.5f;
    dd[i] = d[i];
    ref += d[i];
  }
  reduceKernel<<<16, 256>>>(d, o, n);
  reduceKernel<<<16, 96>>>(dd, od, n);
  CHECK(cudaDeviceSynchronize());
  double s = 0, t = 0;
  for (int i = 0; i < 16; i++)
    s += o[i], t += od[i];
  EXPECT(fabs(s - ref) < 1e-2);
  EXPECT(fabs(t - ref) < 1e-9);
  int *x, *any, *all, *mx, *sc;
  unsigned *b, *m, *ra;
  long long *s64;
  double *sd;
  cudaMallocManaged(&x, n * 4);
  cudaMallocManaged(&any, 128);
  cudaMallocManaged(&all, 128);
  cudaMallocManaged(&mx, 128);
  cudaMallocManaged(&sc, 512);
  cudaMallocManaged(&b, 128);
  cudaMallocManaged(&m, 128);
  cudaMallocManaged(&ra, 128);
  cudaMallocManaged(&s64, 256);
  cudaMallocManaged(&sd, 256);
  for (int i = 0; i < n; i++)
    x[i] = (i * 7) % 11;
  votes<<<1, 32>>>(x, b, any, all, m, ra, mx, s64, sd);
  CHECK(cudaDeviceSynchronize());
  unsigned rb = 0, rs = 0;
  int rm = -100, ran = 0;
  for (int i = 0; i < 32; i++) {
    if (x[i] > 3)
      rb |= 1u << i;
    rs += x[i];
    if (x[i] - 5 > rm)
      rm = x[i] - 5;
    ran |= x[i] == 7;
  }
  for (int i = 0; i < 32; i++) {
    unsigned mm = 0;
    for (int j = 0; j < 32; j++)
      if (x[j] == x[i])
        mm |= 1u << j;
    EXPECT(b[i] == rb);
    EXPECT(any[i] == ran);
    EXPECT(all[i] == 1);
    EXPECT(m[i] == mm);
    EXPECT(ra[i] == rs);
    EXPECT(mx[i] == rm);
    EXPECT(s64[i] == (long long)x[i ^ 3] << 40);
    EXPECT(sd[i] == (i % 8 ? x[i - 1] : x[i]) * 0.5);
  }
  scan<<<1, 128>>>(x, sc);
  CHECK(cudaDeviceSynchronize());
  for (int w = 0; w < 4; w++) {
    int a = 0;
    for (int i = 0; i < 32; i++) {
      a += x[w * 32 + i];
      EXPECT(sc[w * 32 + i] == a);
    }
  }
  int *c, *out;
  cudaMallocManaged(&c, 4);
  cudaMallocManaged(&out, n * 4);
  *c = 0;
  aggregated<<<(n + 255) / 256, 256>>>(c, x, out, n);
  CHECK(cudaDeviceSynchronize());
  int rc = 0;
  long rsum = 0, osum = 0;
  for (int i = 0; i < n; i++)
    if (x[i] % 3 == 0)
      rc++, rsum += x[i];
  EXPECT(*c == rc);
  for (int i = 0; i < rc; i++)
    osum += out[i];
  EXPECT(osum == rsum);
  return finish();
}
