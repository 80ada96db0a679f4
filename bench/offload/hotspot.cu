//===- hotspot.cu - temperatures on a chip: two steps per launch in shared memory -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench.h"

const char *Name = "hotspot";
const int Small = 60, Large = 1024;
constexpr int T = 16, Halo = 2, Steps = 4;
static int N;
static std::vector<float> Temperature, Power, Hand;
static float *A, *B, *DPower;

__device__ __host__ inline float next(float C, float W, float E, float S, float NN, float P) {
  return C + 0.1f * (P + 0.2f * (W + E - 2 * C) + 0.3f * (S + NN - 2 * C) + 0.01f * (80 - C));
}
__global__ void hotspot(const float *In, const float *Power, float *Out, int N) {
  __shared__ float Now[T][T], Then[T][T];
  int X = blockIdx.x * (T - 2 * Halo) + threadIdx.x - Halo, Y = blockIdx.y * (T - 2 * Halo) + threadIdx.y - Halo;
  int TX = threadIdx.x, TY = threadIdx.y;
  bool Inside = X >= 0 && Y >= 0 && X < N && Y < N;
  if (Inside)
    Now[TY][TX] = In[Y * N + X];
  __syncthreads();
  bool Computed = false;
  for (int S = 1; S <= Halo; ++S) {
    Computed = false;
    if (TX >= S && TX < T - S && TY >= S && TY < T - S && Inside) {
      Computed = true;
      int W = X > 0 ? TX - 1 : TX, E = X < N - 1 ? TX + 1 : TX, Up = Y > 0 ? TY - 1 : TY, Down = Y < N - 1 ? TY + 1 : TY;
      Then[TY][TX] = next(Now[TY][TX], Now[TY][W], Now[TY][E], Now[Down][TX], Now[Up][TX], Power[Y * N + X]);
    }
    __syncthreads();
    if (S == Halo)
      break;
    if (Computed)
      Now[TY][TX] = Then[TY][TX];
    __syncthreads();
  }
  if (Computed)
    Out[Y * N + X] = Then[TY][TX];
}
void prepare(int Size) {
  N = Size;
  Temperature.resize(N * N), Power.resize(N * N);
  for (int I = 0; I < N * N; ++I)
    Temperature[I] = 320 + 10 * noise(I), Power[I] = noise(I + 5);
  A = toDevice(Temperature), B = toDevice(Temperature), DPower = toDevice(Power);
}
void device() {
  CHECK(cudaMemcpy(A, Temperature.data(), N * N * sizeof(float), cudaMemcpyHostToDevice));
  int Blocks = (N + T - 2 * Halo - 1) / (T - 2 * Halo);
  for (int S = 0; S < Steps; ++S) {
    hotspot<<<dim3(Blocks, Blocks), dim3(T, T)>>>(A, DPower, B, N);
    std::swap(A, B);
  }
}
void byHand() {
  static std::vector<float> Other;
  Hand = Temperature, Other.resize(N * N);
  const int M = N;
  for (int S = 0; S < Steps * Halo; ++S) {
    const float *In = Hand.data(), *P = Power.data();
    float *Out = Other.data();
#pragma omp parallel for
    for (int Y = 0; Y < M; ++Y) {
      const float *Row = In + Y * M, *Up = In + (Y > 0 ? Y - 1 : Y) * M, *Down = In + (Y < M - 1 ? Y + 1 : Y) * M;
      Out[Y * M] = next(Row[0], Row[0], Row[1], Down[0], Up[0], P[Y * M]);
      for (int X = 1; X < M - 1; ++X)
        Out[Y * M + X] = next(Row[X], Row[X - 1], Row[X + 1], Down[X], Up[X], P[Y * M + X]);
      Out[Y * M + M - 1] = next(Row[M - 1], Row[M - 2], Row[M - 1], Down[M - 1], Up[M - 1], P[Y * M + M - 1]);
    }
    Hand.swap(Other);
  }
}
double difference() { return difference(fromDevice(A, N * N), Hand); }
