// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RG-FLAGS: -lnccl -pthread
//
// NCCL with one thread per device, each of which asks for the derivative of its own rank's loss: the messages of the
// reverse sweeps make of them the gradients of the sum of all losses.
#include "rgtest.h"
#include <cmath>
#include <cstdlib>
#include <cuda_runtime.h>
#include <nccl.h>
#include <thread>
#include <utility>
#include <vector>

extern int enzyme_dup, enzyme_const;
template <class R, class... T> R __enzyme_autodiff(void *, T...);

enum { D = 3, N = 6 };
static ncclComm_t comms[D];

__global__ void layer(const double *w, const double *x, double *y, int n) {
  if (threadIdx.x < n)
    y[threadIdx.x] = tanh(x[threadIdx.x] * w[threadIdx.x % 2]) + 0.1 * x[threadIdx.x + 1];
}

double loss(const double *x, int rank) {
  double *d, *e, *w, y[N], sum = 0;
  ncclComm_t c = comms[rank];
  int next = (rank + 1) % D, last = (rank + D - 1) % D;
  cudaMalloc(&d, N * sizeof(double));
  cudaMalloc(&e, N * sizeof(double));
  cudaMalloc(&w, N * sizeof(double));
  cudaMemcpy(d, x, N * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemcpy(w, x, N * sizeof(double), cudaMemcpyHostToDevice);
  ncclAllReduce(w, w, N, ncclDouble, ncclAvg, c, 0);
  for (int k = 0; k < 3; ++k) {
    layer<<<1, 32>>>(w, d, e, N - 1); // e[N - 1] is the neighbour's
    std::swap(d, e);
    ncclGroupStart();
    ncclSend(d, 1, ncclDouble, next, c, 0);
    ncclRecv(d + N - 1, 1, ncclDouble, last, c, 0);
    ncclGroupEnd();
  }
  cudaMemcpy(y, d, sizeof y, cudaMemcpyDeviceToHost);
  for (int i = 0; i < N; ++i)
    sum += y[i] * y[i] * (1 + (i + rank) % 4);
  cudaFree(d), cudaFree(e), cudaFree(w);
  return sum;
}

template <class F> static void everyRank(F call) {
  std::vector<std::thread> threads;
  for (int r = 0; r < D; ++r)
    threads.emplace_back([=] {
      cudaSetDevice(r);
      call(r);
    });
  for (std::thread &t : threads)
    t.join();
}

int main() {
  setenv("RG_CUDA_DEVICES", "3", 1);
  static double x[D][N], g[D][N], losses[D];
  int devices = 0;
  cudaGetDeviceCount(&devices);
#ifndef RETROGRAD_CUDA_ON_CPU
  if (devices < D) // a machine with fewer GPUs
    return 0;
#endif
  if (ncclCommInitAll(comms, D, nullptr))
    return 1;
  for (int r = 0; r < D; ++r)
    for (int i = 0; i < N; ++i)
      x[r][i] = 0.3 + 0.07 * ((r * N + i) * 5 % 11);
  everyRank([](int r) { __enzyme_autodiff<double>((void *)loss, enzyme_dup, x[r], g[r], enzyme_const, r); });
  auto total = [] {
    everyRank([](int r) { losses[r] = loss(x[r], r); });
    double sum = 0;
    for (double l : losses)
      sum += l;
    return sum;
  };
  for (int r = 0; r < D; ++r)
    for (int i = 0; i < N; ++i) {
      double old = x[r][i], h = 1e-5;
      x[r][i] = old + h;
      double up = total();
      x[r][i] = old - h;
      double down = total();
      x[r][i] = old;
      RG_WITHIN(g[r][i], (up - down) / (2 * h), 1e-7);
    }
  return rgReport();
}
