// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A scan in one pass where blocks wait for the one before, a queue of work, roots, a small machine.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "Check.h"
#include <cuda_runtime.h>
#include <vector>
// scan in one pass: each block waits for the one before it
__device__ unsigned ticket;
__device__ volatile int flag_[4096];
__device__ volatile long long aggr[4096], pref[4096];
__global__ void lookback(const int *x, long long *o, int n) {
  __shared__ long long s[256];
  __shared__ long long base;
  __shared__ int bid;
  if (threadIdx.x == 0)
    bid = atomicAdd(&ticket, 1);
  __syncthreads();
  int b = bid, i = b * 256 + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int d = 1; d < 256; d *= 2) {
    long long v = threadIdx.x >= d ? s[threadIdx.x - d] : 0;
    __syncthreads();
    s[threadIdx.x] += v;
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    long long tot = s[255];
    aggr[b] = tot;
    __threadfence();
    if (b == 0) {
      pref[0] = tot;
      __threadfence();
      flag_[0] = 2;
      base = 0;
    } else {
      flag_[b] = 1;
      long long ex = 0;
      int p = b - 1;
      while (true) {
        int f;
        do {
          f = flag_[p];
        } while (f == 0);
        __threadfence();
        if (f == 2) {
          ex += pref[p];
          break;
        }
        ex += aggr[p];
        p--;
      }
      pref[b] = ex + tot;
      __threadfence();
      flag_[b] = 2;
      base = ex;
    }
  }
  __syncthreads();
  if (i < n)
    o[i] = base + s[threadIdx.x];
}
struct Task {
  int lo, hi;
};
__device__ int qhead, qtail;
__global__ void persistent(Task *q, int ntask, unsigned long long *sum) {
  __shared__ int cur;
  __shared__ unsigned long long part;
  while (true) {
    if (threadIdx.x == 0) {
      cur = atomicAdd(&qhead, 1);
      part = 0;
    }
    __syncthreads();
    if (cur >= ntask)
      break;
    Task t = q[cur];
    unsigned long long a = 0;
    for (int i = t.lo + threadIdx.x; i < t.hi; i += blockDim.x)
      a += (unsigned long long)i * i;
    atomicAdd(&part, a);
    __syncthreads();
    if (threadIdx.x == 0)
      atomicAdd(sum, part);
    __syncthreads();
  }
}
template <typename F> __device__ double bisect(F f, double a, double b) {
  double fa = f(a);
  for (int i = 0; i < 60; i++) {
    double m = .5 * (a + b), fm = f(m);
    if (fm == 0)
      return m;
    if ((fa < 0) == (fm < 0)) {
      a = m;
      fa = fm;
    } else
      b = m;
  }
  return .5 * (a + b);
}
__global__ void roots(const double *c, double *r, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    double k = c[i];
    r[i] = bisect([k](double x) { return x * x * x - k; }, 0.0, 10.0);
  }
}
union Bits {
  float f;
  unsigned u;
  struct {
    unsigned m : 23, e : 8, s : 1;
  } p;
};
enum class Op : char { Add, Mul, Neg };
__global__ void vm(const Op *prog, int len, const float *in, float *out, unsigned *ex) {
  int i = threadIdx.x;
  float st[8];
  int sp = 0;
  st[sp++] = in[i];
  st[sp++] = in[i] + 1;
  for (int k = 0; k < len; k++)
    switch (prog[k]) {
    case Op::Add:
      sp--;
      st[sp - 1] += st[sp];
      st[sp++] = 2;
      break;
    case Op::Mul:
      sp--;
      st[sp - 1] *= st[sp];
      st[sp++] = 3;
      break;
    case Op::Neg:
      st[sp - 1] = -st[sp - 1];
      break;
    }
  out[i] = st[0] + st[sp - 1];
  Bits b;
  b.f = out[i];
  ex[i] = b.p.e;
}
int main() {
  int n = 100000;
  int *x;
  long long *o;
  CHECK(cudaMallocManaged(&x, 4 * n));
  CHECK(cudaMallocManaged(&o, 8 * n));
  for (int i = 0; i < n; i++)
    x[i] = i % 17 - 5;
  unsigned z = 0;
  CHECK(cudaMemcpyToSymbol(ticket, &z, 4));
  lookback<<<(n + 255) / 256, 256>>>(x, o, n);
  CHECK(cudaDeviceSynchronize());
  long long a = 0;
  for (int i = 0; i < n; i++) {
    a += x[i];
    EXPECT(o[i] == a);
    if (bad > 3)
      break;
  }
  Task *q;
  unsigned long long *s;
  cudaMallocManaged(&q, 100 * sizeof(Task));
  cudaMallocManaged(&s, 8);
  *s = 0;
  unsigned long long r = 0;
  for (int i = 0; i < 100; i++) {
    q[i] = {i * 37 % 50, i * 37 % 50 + i * 11};
    for (int k = q[i].lo; k < q[i].hi; k++)
      r += (unsigned long long)k * k;
  }
  persistent<<<8, 96>>>(q, 100, s);
  CHECK(cudaDeviceSynchronize());
  EXPECT(*s == r);
  double *c, *d;
  cudaMallocManaged(&c, 800);
  cudaMallocManaged(&d, 800);
  for (int i = 0; i < 100; i++)
    c[i] = i + 1;
  roots<<<4, 32>>>(c, d, 100);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 100; i++)
    EXPECT(fabs(d[i] - cbrt(i + 1)) < 1e-9);
  Op *p;
  float *in, *out;
  unsigned *ex;
  cudaMallocManaged(&p, 8);
  cudaMallocManaged(&in, 128);
  cudaMallocManaged(&out, 128);
  cudaMallocManaged(&ex, 128);
  p[0] = Op::Add;
  p[1] = Op::Neg;
  p[2] = Op::Mul;
  for (int i = 0; i < 32; i++)
    in[i] = i;
  vm<<<1, 32>>>(p, 3, in, out, ex);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < 32; i++) {
    float w = (2 * i + 1) * -2.f + 3;
    EXPECT(out[i] == w);
    EXPECT(ex[i] == (w == 0 ? 0u : (unsigned)(ilogbf(w) + 127)));
  }
  return finish();
}
