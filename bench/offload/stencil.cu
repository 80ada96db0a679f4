//===- stencil.cu - heat in three dimensions -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench.h"

const char *Name = "stencil";
const int Small = 20, Large = 192;
constexpr int Steps = 4;
static int N;
static std::vector<float> Start, Hand;
static float *A, *B;

__global__ void advance(const float *In, float *Out, int N) {
  int X = blockIdx.x * blockDim.x + threadIdx.x, Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X < 1 || Y < 1 || X >= N - 1 || Y >= N - 1)
    return;
  for (int Z = 1; Z < N - 1; ++Z) {
    int I = (Z * N + Y) * N + X;
    Out[I] = 0.4f * In[I] + 0.1f * (In[I - 1] + In[I + 1] + In[I - N] + In[I + N] + In[I - N * N] + In[I + N * N]);
  }
}
void prepare(int Size) {
  N = Size;
  Start.resize(N * N * N);
  for (int I = 0; I < N * N * N; ++I)
    Start[I] = noise(I);
  A = toDevice(Start);
  B = toDevice(Start);
}
void device() {
  dim3 Block(64, 4), Grid((N + 63) / 64, (N + 3) / 4);
  for (int S = 0; S < Steps; ++S) {
    advance<<<Grid, Block>>>(A, B, N);
    std::swap(A, B);
  }
}
void byHand() {
  static std::vector<float> Other;
  Hand = Start, Other = Start;
  for (int S = 0; S < Steps; ++S) {
    const float *In = Hand.data();
    float *Out = Other.data();
    const int M = N;
#pragma omp parallel for
    for (int Z = 1; Z < M - 1; ++Z)
      for (int Y = 1; Y < M - 1; ++Y)
        for (int X = 1; X < M - 1; ++X) {
          int I = (Z * M + Y) * M + X;
          Out[I] = 0.4f * In[I] + 0.1f * (In[I - 1] + In[I + 1] + In[I - M] + In[I + M] + In[I - M * M] + In[I + M * M]);
        }
    Hand.swap(Other);
  }
}
double difference() { return difference(fromDevice(A, Hand.size()), Hand); }
