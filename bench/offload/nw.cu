//===- nw.cu - Needleman and Wunsch's alignment, tiles along diagonals -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench.h"

const char *Name = "nw";
const int Small = 64, Large = 2048;
constexpr int T = 16, Penalty = 10;
static int N;
static std::vector<int> Reference, Hand;
static int *DReference, *DScore;

__global__ void diagonal(int *Score, const int *Reference, int N, int D, int First) {
  __shared__ int S[T + 1][T + 1], R[T][T];
  int BX = First + blockIdx.x, BY = D - BX, I = threadIdx.x, W = N + 1;
  int *Corner = Score + BY * T * W + BX * T;
  for (int Y = 0; Y < T; ++Y)
    R[Y][I] = Reference[(BY * T + Y) * N + BX * T + I];
  if (I == 0)
    S[0][0] = Corner[0];
  S[I + 1][0] = Corner[(I + 1) * W];
  S[0][I + 1] = Corner[I + 1];
  __syncthreads();
  for (int M = 0; M < 2 * T - 1; ++M) {
    int X = I + 1, Y = M - I + 1;
    if (Y >= 1 && Y <= T)
      S[Y][X] = max(S[Y - 1][X - 1] + R[Y - 1][X - 1], max(S[Y][X - 1] - Penalty, S[Y - 1][X] - Penalty));
    __syncthreads();
  }
  for (int Y = 0; Y < T; ++Y)
    Corner[(Y + 1) * W + I + 1] = S[Y + 1][I + 1];
}
void prepare(int Size) {
  N = Size;
  Reference.resize(N * N);
  for (int I = 0; I < N * N; ++I)
    Reference[I] = int(noise(I) * 20) - 10;
  Hand.assign((N + 1) * (N + 1), 0);
  for (int I = 0; I <= N; ++I)
    Hand[I] = Hand[I * (N + 1)] = -I * Penalty;
  DReference = toDevice(Reference), DScore = toDevice(Hand);
}
void device() {
  int B = N / T;
  for (int D = 0; D < 2 * B - 1; ++D) {
    int First = D < B ? 0 : D - B + 1, Last = D < B ? D : B - 1;
    diagonal<<<Last - First + 1, T>>>(DScore, DReference, N, D, First);
  }
}
void byHand() {
  int *P = Hand.data(), B = N / T;
  const int *R = Reference.data();
  const int M = N;
  for (int D = 0; D < 2 * B - 1; ++D) {
    int First = D < B ? 0 : D - B + 1, Last = D < B ? D : B - 1;
#pragma omp parallel for
    for (int BX = First; BX <= Last; ++BX)
      for (int Y = (D - BX) * T + 1; Y <= (D - BX + 1) * T; ++Y)
        for (int X = BX * T + 1; X <= (BX + 1) * T; ++X)
          P[Y * (M + 1) + X] = std::max(P[(Y - 1) * (M + 1) + X - 1] + R[(Y - 1) * M + X - 1],
                                        std::max(P[Y * (M + 1) + X - 1], P[(Y - 1) * (M + 1) + X]) - Penalty);
  }
}
double difference() { return difference(fromDevice(DScore, Hand.size()), Hand); }
