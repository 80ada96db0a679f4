//===- kmeans.cu - two rounds of k-means: nearest centres, sums in shared memory -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench.h"

const char *Name = "kmeans";
const int Small = 1500, Large = 1 << 19;
constexpr int K = 8, Dim = 4, Rounds = 2;
static int N;
static std::vector<float> Points, Start, Hand;
static float *DPoints, *DCentres, *DSums;
static int *DCounts;
__constant__ float Centres[K * Dim];

__global__ void assign(const float *Points, float *Sums, int *Counts, int N) {
  __shared__ float S[K * Dim];
  __shared__ int C[K];
  for (int I = threadIdx.x; I < K * Dim; I += blockDim.x)
    S[I] = 0;
  if (threadIdx.x < K)
    C[threadIdx.x] = 0;
  __syncthreads();
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < N) {
    int Best = 0;
    float Least = 1e30f;
    for (int J = 0; J < K; ++J) {
      float Distance = 0;
      for (int D = 0; D < Dim; ++D) {
        float V = Points[D * N + I] - Centres[J * Dim + D];
        Distance += V * V;
      }
      if (Distance < Least)
        Least = Distance, Best = J;
    }
    for (int D = 0; D < Dim; ++D)
      atomicAdd(&S[Best * Dim + D], Points[D * N + I]);
    atomicAdd(&C[Best], 1);
  }
  __syncthreads();
  for (int I = threadIdx.x; I < K * Dim; I += blockDim.x)
    atomicAdd(&Sums[I], S[I]);
  if (threadIdx.x < K)
    atomicAdd(&Counts[threadIdx.x], C[threadIdx.x]);
}
__global__ void move(float *Centres, const float *Sums, const int *Counts) {
  int I = threadIdx.x;
  if (Counts[I / Dim])
    Centres[I] = Sums[I] / Counts[I / Dim];
}
void prepare(int Size) {
  N = Size;
  Points.resize(N * Dim), Start.resize(K * Dim);
  for (int I = 0; I < N; ++I)
    for (int D = 0; D < Dim; ++D)
      Points[D * N + I] = noise(I * Dim + D) * 0.5f + float(I % K) * (D + 1);
  for (int J = 0; J < K; ++J)
    for (int D = 0; D < Dim; ++D)
      Start[J * Dim + D] = float(J) * (D + 1) + 0.3f;
  DPoints = toDevice(Points), DCentres = toDevice(Start), DSums = toDevice(Start);
  DCounts = toDevice(std::vector<int>(K));
}
void device() {
  CHECK(cudaMemcpy(DCentres, Start.data(), sizeof(float) * K * Dim, cudaMemcpyHostToDevice));
  for (int R = 0; R < Rounds; ++R) {
    CHECK(cudaMemcpyToSymbol(Centres, DCentres, sizeof(float) * K * Dim, 0, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemset(DSums, 0, sizeof(float) * K * Dim));
    CHECK(cudaMemset(DCounts, 0, sizeof(int) * K));
    assign<<<(N + 255) / 256, 256>>>(DPoints, DSums, DCounts, N);
    move<<<1, K * Dim>>>(DCentres, DSums, DCounts);
  }
}
void byHand() {
  Hand = Start;
  const float *P = Points.data();
  const int M = N;
  for (int R = 0; R < Rounds; ++R) {
    double Sums[K * Dim] = {};
    int Counts[K] = {};
    float *H = Hand.data();
#pragma omp parallel for reduction(+ : Sums, Counts)
    for (int I = 0; I < M; ++I) {
      int Best = 0;
      float Least = 1e30f;
      for (int J = 0; J < K; ++J) {
        float Distance = 0;
        for (int D = 0; D < Dim; ++D) {
          float V = P[D * M + I] - H[J * Dim + D];
          Distance += V * V;
        }
        if (Distance < Least)
          Least = Distance, Best = J;
      }
      for (int D = 0; D < Dim; ++D)
        Sums[Best * Dim + D] += P[D * M + I];
      ++Counts[Best];
    }
    for (int I = 0; I < K * Dim; ++I)
      if (Counts[I / Dim])
        H[I] = float(Sums[I] / Counts[I / Dim]);
  }
}
double difference() { return difference(fromDevice(DCentres, K * Dim), Hand); }
