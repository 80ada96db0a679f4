// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SHA-256, a search that the block ends together.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cstdint>
#include <cstring>
#include <cuda_runtime.h>
__constant__ uint32_t K[64];
static uint32_t hk[64];
#define ROTR(a, b) (((a) >> (b)) | ((a) << (32 - (b))))
#define CH(x, y, z) (((x) & (y)) ^ (~(x) & (z)))
#define MAJ(x, y, z) (((x) & (y)) ^ ((x) & (z)) ^ ((y) & (z)))
template <class KT> __host__ __device__ void block(uint32_t *st, const uint8_t *d, const KT &k) {
  uint32_t m[64];
  for (int i = 0; i < 16; i++)
    m[i] = (uint32_t)d[4 * i] << 24 | d[4 * i + 1] << 16 | d[4 * i + 2] << 8 | d[4 * i + 3];
  for (int i = 16; i < 64; i++)
    m[i] = (ROTR(m[i - 2], 17) ^ ROTR(m[i - 2], 19) ^ (m[i - 2] >> 10)) + m[i - 7] +
           (ROTR(m[i - 15], 7) ^ ROTR(m[i - 15], 18) ^ (m[i - 15] >> 3)) + m[i - 16];
  uint32_t a = st[0], b = st[1], c = st[2], dd = st[3], e = st[4], f = st[5], g = st[6], h = st[7];
  for (int i = 0; i < 64; i++) {
    uint32_t t1 = h + (ROTR(e, 6) ^ ROTR(e, 11) ^ ROTR(e, 25)) + CH(e, f, g) + k[i] + m[i],
             t2 = (ROTR(a, 2) ^ ROTR(a, 13) ^ ROTR(a, 22)) + MAJ(a, b, c);
    h = g;
    g = f;
    f = e;
    e = dd + t1;
    dd = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  st[0] += a;
  st[1] += b;
  st[2] += c;
  st[3] += dd;
  st[4] += e;
  st[5] += f;
  st[6] += g;
  st[7] += h;
}
__global__ void sha(const uint8_t *in, int len, uint32_t *out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n)
    return;
  uint32_t s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  uint8_t b[64];
  memset(b, 0, 64);
  memcpy(b, in + t * len, len);
  b[len] = 0x80;
  b[62] = len * 8 >> 8;
  b[63] = len * 8;
  block(s, b, K);
  for (int i = 0; i < 8; i++)
    out[t * 8 + i] = s[i];
}
__global__ void nonce(uint32_t target, unsigned *found, unsigned *iters) {
  __shared__ bool done;
  if (threadIdx.x == 0)
    done = false;
  __syncthreads();
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, k = 0;
  while (!done) {
    unsigned v = x * 2654435761u ^ k * 40503u;
    v ^= v >> 15;
    v *= 2246822519u;
    v ^= v >> 13;
    if (v < target)
      atomicMin(found, x);
    __syncthreads();
    if (threadIdx.x == 0 && (++k > 200 || *found != ~0u))
      done = true;
    __syncthreads();
    k = threadIdx.x ? k + 1 : k;
    x += gridDim.x * blockDim.x;
  }
  if (threadIdx.x == 0)
    atomicMax(iters, k);
}
int main() {
  const char *msg = "abc";
  for (int i = 0, p = 2; i < 64; p++) {
    bool pr = true;
    for (int q = 2; q * q <= p; q++)
      if (p % q == 0)
        pr = false;
    if (pr)
      hk[i++] = (uint32_t)((cbrtl(p) - floorl(cbrtl(p))) * 4294967296.0L);
  }
  CHECK(cudaMemcpyToSymbol(K, hk, sizeof hk));
  uint8_t *d;
  uint32_t *o;
  int n = 100;
  cudaMallocManaged(&d, n * 3);
  cudaMallocManaged(&o, n * 32);
  for (int i = 0; i < n; i++)
    memcpy(d + 3 * i, msg, 3), d[3 * i + 2] += i;
  sha<<<2, 64>>>(d, 3, o, n);
  CHECK(cudaDeviceSynchronize());
  EXPECT(o[0] == 0xba7816bf && o[1] == 0x8f01cfea && o[7] == 0xf20015ad);
  for (int i = 0; i < n; i++) {
    uint32_t s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint8_t b[64] = {};
    memcpy(b, d + 3 * i, 3);
    b[3] = 0x80;
    b[63] = 24;
    block(s, b, hk);
    EXPECT(!memcmp(s, o + 8 * i, 32));
  }
  unsigned *f, *it;
  cudaMallocManaged(&f, 4);
  cudaMallocManaged(&it, 4);
  *f = ~0u;
  *it = 0;
  nonce<<<1, 64>>>(1 << 22, f, it);
  CHECK(cudaDeviceSynchronize());
  EXPECT(*f != ~0u && *it > 0);
  return finish();
}
