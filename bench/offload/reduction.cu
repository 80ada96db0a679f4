//===- reduction.cu - a sum by shared memory -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench.h"

const char *Name = "reduction";
const int Small = 5000, Large = 1 << 24;
static int N;
static std::vector<float> X;
static float *D, *Parts, Sum;
static double Hand;

__global__ void sum(const float *X, float *Parts, int N) {
  __shared__ float S[256];
  float V = 0;
  for (int I = blockIdx.x * blockDim.x + threadIdx.x; I < N; I += gridDim.x * blockDim.x)
    V += X[I];
  S[threadIdx.x] = V;
  __syncthreads();
  for (unsigned H = blockDim.x / 2; H > 0; H >>= 1) {
    if (threadIdx.x < H)
      S[threadIdx.x] += S[threadIdx.x + H];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    Parts[blockIdx.x] = S[0];
}
void prepare(int Size) {
  N = Size;
  X.resize(N);
  for (int I = 0; I < N; ++I)
    X[I] = noise(I);
  D = toDevice(X);
  Parts = toDevice(std::vector<float>(64));
}
void device() {
  sum<<<64, 256>>>(D, Parts, N);
  sum<<<1, 256>>>(Parts, Parts, 64);
}
void byHand() {
  float S = 0;
  const float *P = X.data();
#pragma omp parallel for simd reduction(+ : S)
  for (int I = 0; I < N; ++I)
    S += P[I];
  Hand = S;
}
double difference() { return std::abs(fromDevice(Parts, 1)[0] - Hand) / Hand; }
