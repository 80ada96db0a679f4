//===- scan.cu - prefix sums: blocks, their sums, and back -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench.h"

const char *Name = "scan";
const int Small = 3000, Large = 1 << 22;
constexpr int Block = 512;
static int N;
static std::vector<int> X, Hand;
static int *D, *Out, *Sums;

__global__ void scanBlocks(const int *In, int *Out, int *Sums, int N) {
  __shared__ int S[2 * Block];
  int I = blockIdx.x * 2 * Block + threadIdx.x, T = threadIdx.x, Offset = 1;
  S[T] = I < N ? In[I] : 0;
  S[T + Block] = I + Block < N ? In[I + Block] : 0;
  for (int H = Block; H > 0; H >>= 1) {
    __syncthreads();
    if (T < H)
      S[Offset * (2 * T + 2) - 1] += S[Offset * (2 * T + 1) - 1];
    Offset *= 2;
  }
  __syncthreads();
  if (T == 0) {
    if (Sums)
      Sums[blockIdx.x] = S[2 * Block - 1];
    S[2 * Block - 1] = 0;
  }
  for (int H = 1; H < 2 * Block; H *= 2) {
    Offset >>= 1;
    __syncthreads();
    if (T < H) {
      int A = Offset * (2 * T + 1) - 1, B = Offset * (2 * T + 2) - 1, V = S[A];
      S[A] = S[B];
      S[B] += V;
    }
  }
  __syncthreads();
  if (I < N)
    Out[I] = S[T];
  if (I + Block < N)
    Out[I + Block] = S[T + Block];
}
__global__ void addSums(int *Out, const int *Sums, int N) {
  int I = blockIdx.x * 2 * Block + threadIdx.x;
  if (I < N)
    Out[I] += Sums[blockIdx.x];
  if (I + Block < N)
    Out[I + Block] += Sums[blockIdx.x];
}
void prepare(int Size) {
  N = Size;
  X.resize(N);
  for (int I = 0; I < N; ++I)
    X[I] = int(noise(I) * 10) - 3;
  D = toDevice(X), Out = toDevice(X);
  Sums = toDevice(std::vector<int>(4096 * 1024));
}
static void scan(const int *In, int *Out, int N, int *Scratch) {
  int Blocks = (N + 2 * Block - 1) / (2 * Block);
  if (Blocks == 1) {
    scanBlocks<<<1, Block>>>(In, Out, nullptr, N);
    return;
  }
  scanBlocks<<<Blocks, Block>>>(In, Out, Scratch, N);
  scan(Scratch, Scratch, Blocks, Scratch + Blocks);
  addSums<<<Blocks, Block>>>(Out, Scratch, N);
}
void device() { scan(D, Out, N, Sums); }
void byHand() {
  Hand.resize(N);
  const int *In = X.data();
  int *P = Hand.data();
  static int Part[256];
  const int Chunks = 64, Size = (N + Chunks - 1) / Chunks, M = N;
#pragma omp parallel for
  for (int C = 0; C < Chunks; ++C) {
    int S = 0;
    for (int I = C * Size; I < std::min(M, (C + 1) * Size); ++I)
      S += In[I];
    Part[C] = S;
  }
  for (int C = 0, S = 0; C < Chunks; ++C) {
    int V = Part[C];
    Part[C] = S;
    S += V;
  }
#pragma omp parallel for
  for (int C = 0; C < Chunks; ++C)
    for (int I = C * Size, S = Part[C]; I < std::min(M, (C + 1) * Size); ++I) {
      P[I] = S;
      S += In[I];
    }
}
double difference() { return difference(fromDevice(Out, N), Hand); }
