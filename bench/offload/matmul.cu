//===- matmul.cu - a tiled matrix product -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench.h"

const char *Name = "matmul";
const int Small = 50, Large = 768;
constexpr int T = 16;
static int N;
static std::vector<float> A, B, Hand;
static float *DA, *DB, *DC;

__global__ void matmul(const float *A, const float *B, float *C, int N) {
  __shared__ float TA[T][T], TB[T][T];
  int X = blockIdx.x * T + threadIdx.x, Y = blockIdx.y * T + threadIdx.y;
  float Sum = 0;
  for (int K = 0; K < N; K += T) {
    TA[threadIdx.y][threadIdx.x] = Y < N && K + threadIdx.x < N ? A[Y * N + K + threadIdx.x] : 0;
    TB[threadIdx.y][threadIdx.x] = X < N && K + threadIdx.y < N ? B[(K + threadIdx.y) * N + X] : 0;
    __syncthreads();
    for (int I = 0; I < T; ++I)
      Sum += TA[threadIdx.y][I] * TB[I][threadIdx.x];
    __syncthreads();
  }
  if (X < N && Y < N)
    C[Y * N + X] = Sum;
}
void prepare(int Size) {
  N = Size;
  A.resize(N * N), B.resize(N * N), Hand.resize(N * N);
  for (int I = 0; I < N * N; ++I)
    A[I] = noise(I), B[I] = noise(I + N * N);
  DA = toDevice(A), DB = toDevice(B), DC = toDevice(A);
}
void device() { matmul<<<dim3((N + T - 1) / T, (N + T - 1) / T), dim3(T, T)>>>(DA, DB, DC, N); }
void byHand() {
  const float *PA = A.data(), *PB = B.data();
  float *PC = Hand.data();
  const int M = N;
#pragma omp parallel for
  for (int I = 0; I < M; ++I) {
    float *Row = PC + I * M;
    for (int J = 0; J < M; ++J)
      Row[J] = 0;
    for (int K = 0; K < M; ++K) {
      float V = PA[I * M + K];
      const float *From = PB + K * M;
      for (int J = 0; J < M; ++J)
        Row[J] += V * From[J];
    }
  }
}
double difference() { return difference(fromDevice(DC, N * N), Hand); }
