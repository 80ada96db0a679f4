// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RG-FLAGS: -lnccl
//
// NCCL with halves and bfloat16: reductions by each operation, messages, a broadcast. All numbers are multiples of
// an eighth that 16 bits hold, and the function is a square in each of them, so that central differences with a step
// of an eighth are exact. What two ranks give to an extremum differs by more, but for one element that both give:
// there each has half of the adjoint.
#include "rgtest.h"
#include <cmath>
#include <cstdlib>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <nccl.h>

extern int enzyme_dup, enzyme_const;
template <class R, class... T> R __enzyme_autodiff(void *, T...);
template <class R, class... T> R __enzyme_fwddiff(void *, T...);

enum { AllReduce, AllReduceInPlace, Reduce, ReduceScatter, AllGather, Broadcast, Exchange, Routines };
enum { D = 2, N = 4, All = D * N };
static struct {
  int routine, op;
} w;
static ncclComm_t comms[D];

template <class E> __global__ void narrow(const double *x, E *y, int n) {
  if (threadIdx.x < n)
    y[threadIdx.x] = E((float)x[threadIdx.x]);
}
template <class E> __global__ void widen(const E *x, double *y, int n) {
  if (threadIdx.x < n)
    y[threadIdx.x] = (float)x[threadIdx.x];
}
template <class E> static ncclResult_t call(int r, ncclDataType_t type, E *s, E *t) {
  const ncclRedOp_t ops[] = {ncclSum, ncclAvg, ncclProd, ncclMax, ncclMin}, op = ops[w.op];
  ncclResult_t e;
  switch (w.routine) {
  case AllReduce: return ncclAllReduce(s, t, N, type, op, comms[r], nullptr);
  case AllReduceInPlace: return ncclAllReduce(s, s, N, type, op, comms[r], nullptr);
  case Reduce: return ncclReduce(s, t, N, type, op, 1, comms[r], nullptr);
  case ReduceScatter: return ncclReduceScatter(s, t, N / D, type, op, comms[r], nullptr);
  case AllGather: return ncclAllGather(s, t, N / D, type, comms[r], nullptr);
  case Broadcast: return ncclBroadcast(s, t, N, type, 0, comms[r], nullptr);
  default:
    e = ncclSend(s, N, type, 1 - r, comms[r], nullptr);
    return e ? e : ncclRecv(t, N, type, 1 - r, comms[r], nullptr);
  }
}
template <class E> static double run(const double *x, ncclDataType_t type) {
  double *d[D], y[N], sum = 0;
  E *s[D], *t[D];
  for (int r = 0; r < D; ++r) {
    cudaSetDevice(r);
    cudaMalloc(&d[r], N * sizeof(double));
    cudaMalloc(&s[r], N * sizeof(E));
    cudaMalloc(&t[r], N * sizeof(E));
    cudaMemset(t[r], 0, N * sizeof(E));
    cudaMemcpy(d[r], x + r * N, N * sizeof(double), cudaMemcpyHostToDevice);
    narrow<<<1, 32>>>(d[r], s[r], N);
  }
  ncclGroupStart();
  for (int r = 0; r < D; ++r)
    if (call(r, type, s[r], t[r]))
      return NAN;
  ncclGroupEnd();
  for (int r = 0; r < D; ++r) {
    cudaSetDevice(r);
    for (E *p : {s[r], t[r]}) {
      widen<<<1, 32>>>(p, d[r], N);
      cudaMemcpy(y, d[r], sizeof y, cudaMemcpyDeviceToHost);
      for (int i = 0; i < N; ++i)
        sum += y[i] * y[i] * (1 + (i + r) % 3) * (p == s[r] ? 0.5 : 1);
    }
    cudaFree(d[r]), cudaFree(s[r]), cudaFree(t[r]);
  }
  cudaSetDevice(0);
  return sum;
}
double ofHalves(const double *x) { return run<__half>(x, ncclHalf); }
double ofBrains(const double *x) { return run<__nv_bfloat16>(x, ncclBfloat16); }

static void check(double (*f)(const double *)) {
  double x[All] = {0.5, -0.25, 0.75, 1, 1.25, 0.5, 0.125, 1}, g[All] = {}, t[All], along = 0;
  auto derivative = [&](double *to) {
    if (f == ofHalves)
      __enzyme_autodiff<double>((void *)ofHalves, enzyme_dup, x, to);
    else
      __enzyme_autodiff<double>((void *)ofBrains, enzyme_dup, x, to);
  };
  derivative(g);
  for (int i = 0; i < All; ++i)
    t[i] = ((i * 3) % 5 - 2) / 8.0, along += g[i] * t[i];
  double forward = f == ofHalves ? __enzyme_fwddiff<double>((void *)ofHalves, enzyme_dup, x, t)
                                 : __enzyme_fwddiff<double>((void *)ofBrains, enzyme_dup, x, t);
  RG_WITHIN(forward, along, f == ofHalves ? 1e-2 : 5e-2);
  for (int i = 0; i < All; ++i) {
    double old = x[i], h = 0.125;
    x[i] = old + h;
    double up = f(x);
    x[i] = old - h;
    double down = f(x);
    x[i] = old;
    RG_WITHIN(g[i], (up - down) / (2 * h), i % N == N - 1 && w.op > 2 ? 3 : f == ofHalves ? 1e-2 : 5e-2);
  }
}

int main() {
  setenv("RG_CUDA_DEVICES", "2", 1);
  int devices = 0;
  cudaGetDeviceCount(&devices);
#ifndef RETROGRAD_CUDA_ON_CPU
  if (devices < D) // a machine with fewer GPUs
    return 0;
#endif
  if (ncclCommInitAll(comms, D, nullptr))
    return 1;
  for (w.routine = 0; w.routine < Routines; ++w.routine)
    for (w.op = 0; w.op < (w.routine <= ReduceScatter ? 5 : 1); ++w.op) {
      check(ofHalves);
      check(ofBrains);
    }
  // The element that both ranks give: half of 2 y (1 + 3 % 3) + 2 y (1 + 4 % 3), y = 1, and its own square.
  w.routine = AllReduce;
  w.op = 3;
  double x[All] = {0.5, -0.25, 0.75, 1, 1.25, 0.5, 0.125, 1}, g[All] = {};
  __enzyme_autodiff<double>((void *)ofHalves, enzyme_dup, x, g);
  RG_WITHIN(g[3], 1 + 0.5 * (2 + 4), 1e-3);
  RG_WITHIN(g[7], 2 + 0.5 * (2 + 4), 1e-3);
  return rgReport();
}
