//===- pathfinder.cu - cheapest ways through a grid, several rows per launch -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench.h"

const char *Name = "pathfinder";
const int Small = 700, Large = 1 << 17;
constexpr int Block = 256, Rows = 41, Depth = 8;
static int N;
static std::vector<int> Wall, Hand;
static int *DWall, *A, *B;

__global__ void rows(const int *Wall, const int *In, int *Out, int N, int First, int Count) {
  __shared__ int Now[Block], Then[Block];
  int T = threadIdx.x, X = blockIdx.x * (Block - 2 * Depth) + T - Depth;
  bool Inside = X >= 0 && X < N, Computed = false;
  if (Inside)
    Now[T] = In[X];
  __syncthreads();
  for (int R = 0; R < Count; ++R) {
    Computed = false;
    if (T >= R + 1 && T < Block - 1 - R && Inside) {
      Computed = true;
      int L = X > 0 ? Now[T - 1] : Now[T], C = Now[T], Rt = X < N - 1 ? Now[T + 1] : Now[T];
      Then[T] = min(min(L, C), Rt) + Wall[(First + R) * N + X];
    }
    __syncthreads();
    if (R == Count - 1)
      break;
    if (Computed)
      Now[T] = Then[T];
    __syncthreads();
  }
  if (Computed && T >= Depth && T < Block - Depth)
    Out[X] = Then[T];
}
void prepare(int Size) {
  N = Size;
  Wall.resize(N * Rows);
  for (int I = 0; I < N * Rows; ++I)
    Wall[I] = int(noise(I) * 10);
  DWall = toDevice(Wall), A = toDevice(std::vector<int>(N)), B = toDevice(std::vector<int>(N));
}
void device() {
  CHECK(cudaMemcpy(A, Wall.data(), N * sizeof(int), cudaMemcpyHostToDevice));
  for (int R = 1; R < Rows; R += Depth) {
    rows<<<(N + Block - 2 * Depth - 1) / (Block - 2 * Depth), Block>>>(DWall, A, B, N, R, std::min(Depth, Rows - R));
    std::swap(A, B);
  }
}
void byHand() {
  static std::vector<int> Other;
  Hand.assign(Wall.begin(), Wall.begin() + N);
  Other.resize(N);
  const int M = N;
  for (int R = 1; R < Rows; ++R) {
    const int *In = Hand.data(), *W = Wall.data() + R * M;
    int *Out = Other.data();
#pragma omp parallel for
    for (int X = 0; X < M; ++X)
      Out[X] = std::min(std::min(X > 0 ? In[X - 1] : In[X], In[X]), X < M - 1 ? In[X + 1] : In[X]) + W[X];
    Hand.swap(Other);
  }
}
double difference() { return difference(fromDevice(A, N), Hand); }
