//===- backprop.cu - a layer forward, and the adjustment of its weights -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench.h"

const char *Name = "backprop";
const int Small = 256, Large = 1 << 18;
constexpr int H = 16;
static int N;
static std::vector<float> In, W, HandParts, HandW;
static float *DIn, *DW, *DParts, *DDelta;

// As in the classic program: a block has 16 inputs and 16 hidden units.
__global__ void forward(const float *In, const float *W, float *Parts) {
  __shared__ float Node[H], Weight[H][H];
  int X = threadIdx.x, Y = threadIdx.y, I = blockIdx.x * H + Y;
  if (X == 0)
    Node[Y] = In[I];
  __syncthreads();
  Weight[Y][X] = W[I * H + X];
  __syncthreads();
  Weight[Y][X] *= Node[Y];
  __syncthreads();
  for (int P = 1; P < H; P *= 2) {
    if (Y % (2 * P) == 0)
      Weight[Y][X] += Weight[Y + P][X];
    __syncthreads();
  }
  if (Y == 0)
    Parts[blockIdx.x * H + X] = Weight[0][X];
}
__global__ void adjust(const float *In, const float *Delta, float *W) {
  int X = threadIdx.x, I = blockIdx.x * H + threadIdx.y;
  W[I * H + X] += 0.3f * Delta[X] * In[I];
  __syncthreads();
}
void prepare(int Size) {
  N = Size;
  In.resize(N), W.resize(N * H), HandParts.resize(N), HandW.resize(N * H);
  for (int I = 0; I < N; ++I)
    In[I] = noise(I);
  for (int I = 0; I < N * H; ++I)
    W[I] = noise(I + N) - 0.5f;
  std::vector<float> Delta(H);
  for (int I = 0; I < H; ++I)
    Delta[I] = I * 0.01f;
  DIn = toDevice(In), DW = toDevice(W), DParts = toDevice(In), DDelta = toDevice(Delta);
}
void device() {
  forward<<<N / H, dim3(H, H)>>>(DIn, DW, DParts);
  adjust<<<N / H, dim3(H, H)>>>(DIn, DDelta, DW);
}
void byHand() {
  static bool Filled = false;
  if (!Filled)
    HandW = W, Filled = true;
  const float *PI = In.data();
  float *PW = HandW.data(), *PP = HandParts.data();
  const int M = N;
#pragma omp parallel for
  for (int B = 0; B < M / H; ++B) {
    float Sum[H] = {};
    for (int I = B * H; I < (B + 1) * H; ++I)
      for (int X = 0; X < H; ++X)
        Sum[X] += PW[I * H + X] * PI[I];
    for (int X = 0; X < H; ++X)
      PP[B * H + X] = Sum[X];
  }
#pragma omp parallel for
  for (int I = 0; I < M; ++I)
    for (int X = 0; X < H; ++X)
      PW[I * H + X] += 0.3f * (X * 0.01f) * PI[I];
}
double difference() {
  return std::max(difference(fromDevice(DParts, N), HandParts), difference(fromDevice(DW, N * H), HandW));
}
