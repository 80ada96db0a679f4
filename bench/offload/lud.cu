//===- lud.cu - LU decomposition without pivots, by blocks -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench.h"

const char *Name = "lud";
const int Small = 64, Large = 512;
constexpr int T = 16;
static int N;
static std::vector<float> A, Hand;
static float *D;

__global__ void diagonal(float *A, int N, int O) {
  __shared__ float S[T][T];
  int I = threadIdx.x;
  for (int R = 0; R < T; ++R)
    S[R][I] = A[(O + R) * N + O + I];
  __syncthreads();
  for (int K = 0; K < T - 1; ++K) {
    if (I > K) {
      S[I][K] /= S[K][K];
      for (int J = K + 1; J < T; ++J)
        S[I][J] -= S[I][K] * S[K][J];
    }
    __syncthreads();
  }
  for (int R = 0; R < T; ++R)
    A[(O + R) * N + O + I] = S[R][I];
}
__global__ void perimeter(float *A, int N, int O) {
  __shared__ float Dia[T][T], Row[T][T], Col[T][T];
  int I = threadIdx.x % T, At = O + (blockIdx.x + 1) * T;
  bool IsRow = threadIdx.x < T;
  for (int R = 0; R < T; ++R)
    if (IsRow) {
      Dia[R][I] = A[(O + R) * N + O + I];
      Row[R][I] = A[(O + R) * N + At + I];
    } else
      Col[R][I] = A[(At + R) * N + O + I];
  __syncthreads();
  if (IsRow) {
    for (int R = 1; R < T; ++R)
      for (int K = 0; K < R; ++K)
        Row[R][I] -= Dia[R][K] * Row[K][I];
  } else {
    for (int C = 0; C < T; ++C) {
      for (int K = 0; K < C; ++K)
        Col[I][C] -= Col[I][K] * Dia[K][C];
      Col[I][C] /= Dia[C][C];
    }
  }
  __syncthreads();
  for (int R = 0; R < T; ++R)
    if (IsRow)
      A[(O + R) * N + At + I] = Row[R][I];
    else
      A[(At + R) * N + O + I] = Col[R][I];
}
__global__ void inner(float *A, int N, int O) {
  __shared__ float Row[T][T], Col[T][T];
  int X = O + (blockIdx.x + 1) * T, Y = O + (blockIdx.y + 1) * T, I = threadIdx.x, J = threadIdx.y;
  Row[J][I] = A[(O + J) * N + X + I];
  Col[J][I] = A[(Y + J) * N + O + I];
  __syncthreads();
  float Sum = 0;
  for (int K = 0; K < T; ++K)
    Sum += Col[J][K] * Row[K][I];
  A[(Y + J) * N + X + I] -= Sum;
}
void prepare(int Size) {
  N = Size;
  A.resize(N * N);
  for (int I = 0; I < N; ++I)
    for (int J = 0; J < N; ++J)
      A[I * N + J] = noise(I * N + J) + (I == J ? N : 0);
  D = toDevice(A);
}
void device() {
  CHECK(cudaMemcpy(D, A.data(), A.size() * sizeof(float), cudaMemcpyHostToDevice));
  for (int O = 0; O < N; O += T) {
    diagonal<<<1, T>>>(D, N, O);
    if (int Blocks = (N - O) / T - 1) {
      perimeter<<<Blocks, 2 * T>>>(D, N, O);
      inner<<<dim3(Blocks, Blocks), dim3(T, T)>>>(D, N, O);
    }
  }
}
void byHand() {
  Hand = A;
  float *P = Hand.data();
  const int M = N;
  for (int K = 0; K < M; ++K) {
#pragma omp parallel for if (M - K > 64)
    for (int I = K + 1; I < M; ++I) {
      float F = P[I * M + K] /= P[K * M + K];
      for (int J = K + 1; J < M; ++J)
        P[I * M + J] -= F * P[K * M + J];
    }
  }
}
double difference() { return difference(fromDevice(D, N * N), Hand); }
