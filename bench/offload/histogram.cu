//===- histogram.cu - 256 bins in shared memory, then in global memory -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench.h"

const char *Name = "histogram";
const int Small = 10000, Large = 1 << 24;
static int N;
static std::vector<unsigned char> X;
static std::vector<int> Hand(256);
static unsigned char *D;
static int *Bins;

__global__ void histogram(const unsigned char *X, int *Bins, int N) {
  __shared__ int S[256];
  S[threadIdx.x] = 0;
  __syncthreads();
  for (int I = blockIdx.x * blockDim.x + threadIdx.x; I < N; I += gridDim.x * blockDim.x)
    atomicAdd(&S[X[I]], 1);
  __syncthreads();
  atomicAdd(&Bins[threadIdx.x], S[threadIdx.x]);
}
void prepare(int Size) {
  N = Size;
  X.resize(N);
  for (int I = 0; I < N; ++I)
    X[I] = (unsigned char)(noise(I) * noise(I + 77) * 256);
  D = toDevice(X), Bins = toDevice(Hand);
}
void device() {
  CHECK(cudaMemset(Bins, 0, 256 * sizeof(int)));
  histogram<<<64, 256>>>(D, Bins, N);
}
void byHand() {
  std::fill(Hand.begin(), Hand.end(), 0);
  int *H = Hand.data();
  const unsigned char *P = X.data();
#pragma omp parallel
  {
    int Own[256] = {};
#pragma omp for
    for (int I = 0; I < N; ++I)
      ++Own[P[I]];
#pragma omp critical
    for (int I = 0; I < 256; ++I)
      H[I] += Own[I];
  }
}
double difference() { return difference(fromDevice(Bins, 256), Hand); }
