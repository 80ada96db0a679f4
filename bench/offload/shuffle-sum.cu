//===- shuffle-sum.cu - a sum by shuffles -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench.h"

const char *Name = "shuffle-sum";
const int Small = 5000, Large = 1 << 24;
static int N;
static std::vector<float> X;
static float *D, *Total;
static double Hand;

__device__ float warpSum(float V) {
  for (int H = 16; H > 0; H >>= 1)
    V += __shfl_down_sync(0xffffffff, V, H);
  return V;
}
__global__ void sum(const float *X, float *Total, int N) {
  __shared__ float S[32];
  float V = 0;
  for (int I = blockIdx.x * blockDim.x + threadIdx.x; I < N; I += gridDim.x * blockDim.x)
    V += X[I] * X[I];
  V = warpSum(V);
  if (threadIdx.x % 32 == 0)
    S[threadIdx.x / 32] = V;
  __syncthreads();
  if (threadIdx.x < 32) {
    V = threadIdx.x < blockDim.x / 32 ? S[threadIdx.x] : 0;
    V = warpSum(V);
    if (threadIdx.x == 0)
      atomicAdd(Total, V);
  }
}
void prepare(int Size) {
  N = Size;
  X.resize(N);
  for (int I = 0; I < N; ++I)
    X[I] = noise(I);
  D = toDevice(X);
  Total = toDevice(std::vector<float>(1));
}
void device() {
  CHECK(cudaMemset(Total, 0, sizeof(float)));
  sum<<<128, 256>>>(D, Total, N);
}
void byHand() {
  float S = 0;
  const float *P = X.data();
#pragma omp parallel for simd reduction(+ : S)
  for (int I = 0; I < N; ++I)
    S += P[I] * P[I];
  Hand = S;
}
double difference() { return std::abs(fromDevice(Total, 1)[0] - Hand) / Hand; }
