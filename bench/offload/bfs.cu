//===- bfs.cu - breadth-first search, a level per launch -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench.h"

const char *Name = "bfs";
const int Small = 2000, Large = 1 << 20;
constexpr int Degree = 6;
static int N;
static std::vector<int> Edges, Hand;
static int *DEdges, *DLevel, *DMore;

__global__ void level(const int *Edges, int *Level, int *More, int Now, int N) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N || Level[I] != Now)
    return;
  for (int E = 0; E < Degree; ++E) {
    int J = Edges[I * Degree + E];
    if (Level[J] < 0) {
      Level[J] = Now + 1;
      *More = 1;
    }
  }
}
void prepare(int Size) {
  N = Size;
  Edges.resize(N * Degree), Hand.resize(N);
  for (int I = 0; I < N * Degree; ++I)
    Edges[I] = I % Degree ? int(noise(I) * 65536 * 17) % N : (I / Degree + 1) % N;
  DEdges = toDevice(Edges), DLevel = toDevice(Hand), DMore = toDevice(std::vector<int>(1));
}
void device() {
  CHECK(cudaMemset(DLevel, 0xff, N * sizeof(int)));
  CHECK(cudaMemset(DLevel, 0, sizeof(int)));
  int More = 1;
  for (int Now = 0; More && Now < 50; ++Now) {
    More = 0;
    CHECK(cudaMemcpy(DMore, &More, sizeof More, cudaMemcpyHostToDevice));
    level<<<(N + 255) / 256, 256>>>(DEdges, DLevel, DMore, Now, N);
    CHECK(cudaMemcpy(&More, DMore, sizeof More, cudaMemcpyDeviceToHost));
  }
}
void byHand() {
  std::fill(Hand.begin(), Hand.end(), -1);
  int *L = Hand.data();
  const int *P = Edges.data();
  const int M = N;
  L[0] = 0;
  int More = 1;
  for (int Now = 0; More && Now < 50; ++Now) {
    More = 0;
#pragma omp parallel for reduction(| : More)
    for (int I = 0; I < M; ++I)
      if (L[I] == Now)
        for (int E = 0; E < Degree; ++E)
          if (L[P[I * Degree + E]] < 0) {
            L[P[I * Degree + E]] = Now + 1;
            More = 1;
          }
  }
}
double difference() { return difference(fromDevice(DLevel, N), Hand); }
