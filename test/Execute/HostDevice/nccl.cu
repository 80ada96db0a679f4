// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RG-FLAGS: -lnccl
//
// NCCL between three devices of one process, all in one thread: each collective operation, with sums,
// averages, products and extrema, in place and not, each root; messages around a ring; in groups. Buffers are overwritten by kernels,
// communicators are destroyed inside of what is differentiated.
#include "gradients.h"
#include <cstdlib>
#include <cuda_runtime.h>
#include <nccl.h>

enum { AllReduce, AllReduceInPlace, Reduce, ReduceInPlace, Broadcast, Bcast, AllGather, AllGatherInPlace,
       ReduceScatter, ReduceScatterInPlace, Ring, Halo, Routines };
static struct {
  int routine, root, op, outside;
} w;
enum { D = 3, N = 4, All = D * N };
static ncclComm_t outside[D];

__global__ void soften(double *x, int n) {
  if (threadIdx.x < n)
    x[threadIdx.x] = sin(x[threadIdx.x]) + 0.5 * x[threadIdx.x];
}
__global__ void mix(const double *a, double *b, int n) {
  if (threadIdx.x < n)
    b[threadIdx.x] = b[threadIdx.x] * a[threadIdx.x] + 0.1 * a[(threadIdx.x + 1) % n];
}

static ncclResult_t call(int r, double *s, double *t, ncclComm_t c, cudaStream_t q) {
  const ncclRedOp_t ops[] = {ncclSum, ncclAvg, ncclProd, ncclMax, ncclMin}, op = ops[w.op];
  int next = (r + 1) % D, last = (r + D - 1) % D;
  ncclResult_t e;
  switch (w.routine) {
  case AllReduce: return ncclAllReduce(s, t, N, ncclDouble, op, c, q);
  case AllReduceInPlace: return ncclAllReduce(s, s, N, ncclDouble, op, c, q);
  case Reduce: return ncclReduce(s, t, N, ncclDouble, op, w.root, c, q);
  case ReduceInPlace: return ncclReduce(s, s, N, ncclDouble, op, w.root, c, q);
  case Broadcast: return ncclBroadcast(s, t, N, ncclDouble, w.root, c, q);
  case Bcast: return ncclBcast(s, N, ncclDouble, w.root, c, q);
  case AllGather: return ncclAllGather(s, t, N, ncclDouble, c, q);
  case AllGatherInPlace: return ncclAllGather(t + r * N, t, N, ncclDouble, c, q);
  case ReduceScatter: return ncclReduceScatter(s, t, N, ncclDouble, op, c, q);
  case ReduceScatterInPlace: return ncclReduceScatter(s, s + r * N, N, ncclDouble, op, c, q);
  case Ring:
    e = ncclSend(s, N, ncclDouble, next, c, q);
    return e ? e : ncclRecv(t, N, ncclDouble, last, c, q);
  default: // both neighbours, one buffer to both
    if ((e = ncclSend(s, 2, ncclDouble, next, c, q)) || (e = ncclSend(s, 2, ncclDouble, last, c, q)) ||
        (e = ncclRecv(t, 2, ncclDouble, last, c, q)))
      return e;
    return ncclRecv(t + 2, 2, ncclDouble, next, c, q);
  }
}

double f(const double *x, int n) {
  double *s[D], *t[D], y[All], sum = 0;
  cudaStream_t q[D];
  ncclComm_t c[D];
  if (w.outside)
    for (int r = 0; r < D; ++r)
      c[r] = outside[r];
  else if (ncclCommInitAll(c, D, nullptr))
    return NAN;
  for (int r = 0; r < D; ++r) {
    cudaSetDevice(r);
    cudaStreamCreate(&q[r]);
    cudaMalloc(&s[r], All * sizeof(double));
    cudaMalloc(&t[r], All * sizeof(double));
    cudaMemcpyAsync(s[r], x + r, All * sizeof(double), cudaMemcpyHostToDevice, q[r]);
    cudaMemcpyAsync(t[r], x + 2 * r + 1, All * sizeof(double), cudaMemcpyHostToDevice, q[r]);
  }
  for (int round = 0; round < 2; ++round) {
    for (int r = 0; r < D; ++r) {
      cudaSetDevice(r);
      soften<<<1, 32, 0, q[r]>>>(s[r], All);
    }
    if (ncclGroupStart())
      return NAN;
    for (int r = 0; r < D; ++r)
      if (call(r, s[r], t[r], c[r], q[r]))
        return NAN;
    if (ncclGroupEnd())
      return NAN;
    for (int r = 0; r < D; ++r) {
      cudaSetDevice(r);
      mix<<<1, 32, 0, q[r]>>>(s[r], t[r], All);
    }
  }
  for (int r = 0; r < D; ++r) {
    cudaSetDevice(r);
    cudaStreamSynchronize(q[r]);
    for (double *p : {s[r], t[r]}) {
      cudaMemcpy(y, p, sizeof y, cudaMemcpyDeviceToHost);
      for (int i = 0; i < All; ++i)
        sum += y[i] * y[i] * (1 + (i + r) % 5) * (p == s[r] ? 0.3 : 0.7);
      cudaFree(p);
    }
    cudaStreamDestroy(q[r]);
  }
  if (!w.outside)
    for (int r = 0; r < D; ++r)
      ncclCommDestroy(c[r]);
  cudaSetDevice(0);
  return sum;
}

int main() {
  setenv("RG_CUDA_DEVICES", "3", 1);
  int devices = 0;
  cudaGetDeviceCount(&devices);
#ifndef RETROGRAD_CUDA_ON_CPU
  if (devices < D) // a machine with fewer GPUs
    return 0;
#endif
  if (ncclCommInitAll(outside, D, nullptr))
    return 1;
  for (w.routine = 0; w.routine < Routines; ++w.routine) {
    bool rooted = w.routine >= Reduce && w.routine <= Bcast;
    bool reduces = w.routine <= ReduceInPlace || w.routine == ReduceScatter || w.routine == ReduceScatterInPlace;
    for (w.root = 0; w.root < (rooted ? D : 1); ++w.root)
      for (w.op = 0; w.op < (reduces ? 5 : 1); ++w.op) {
        w.outside = (w.root + w.op + w.routine) % 2;
#ifndef RETROGRAD_CUDA_ON_CPU // where a communicator takes a second to make
        w.outside = 1;
#endif
        rgCheckGradient(f, All + 2 * D, 0.3);
      }
  }
  return rgReport();
}
