//===- bitonic.cu - a bitonic sort: the short strides in shared memory -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Bench.h"

const char *Name = "bitonic";
const int Small = 4096, Large = 1 << 20;
constexpr int Block = 512;
static int N;
static std::vector<float> X, Hand;
static float *D;

__device__ inline void exchange(float &A, float &B, bool Up) {
  if ((A > B) == Up) {
    float T = A;
    A = B;
    B = T;
  }
}
__global__ void far(float *X, int Stride, int Run) {
  int I = blockIdx.x * blockDim.x + threadIdx.x, A = 2 * Stride * (I / Stride) + I % Stride;
  exchange(X[A], X[A + Stride], !(A & Run));
}
__global__ void near(float *X, int Stride, int Run) {
  __shared__ float S[2 * Block];
  int O = blockIdx.x * 2 * Block, T = threadIdx.x;
  S[T] = X[O + T];
  S[T + Block] = X[O + T + Block];
  for (; Stride > 0; Stride >>= 1) {
    __syncthreads();
    int A = 2 * Stride * (T / Stride) + T % Stride;
    exchange(S[A], S[A + Stride], !((O + A) & Run));
  }
  __syncthreads();
  X[O + T] = S[T];
  X[O + T + Block] = S[T + Block];
}
void prepare(int Size) {
  N = Size;
  X.resize(N);
  for (int I = 0; I < N; ++I)
    X[I] = noise(I);
  D = toDevice(X);
}
void device() {
  CHECK(cudaMemcpy(D, X.data(), N * sizeof(float), cudaMemcpyHostToDevice));
  for (int Run = 2; Run <= N; Run *= 2) {
    int Stride = Run / 2;
    for (; Stride > Block; Stride /= 2)
      far<<<N / 2 / Block, Block>>>(D, Stride, Run);
    near<<<N / 2 / Block, Block>>>(D, Stride, Run);
  }
}
void byHand() {
  Hand = X;
  float *P = Hand.data();
  const int M = N;
  for (int Run = 2; Run <= M; Run *= 2)
    for (int Stride = Run / 2; Stride > 0; Stride /= 2) {
#pragma omp parallel for
      for (int I = 0; I < M / 2; ++I) {
        int A = 2 * Stride * (I / Stride) + I % Stride;
        float L = std::min(P[A], P[A + Stride]), H = std::max(P[A], P[A + Stride]);
        bool Up = !(A & Run);
        P[A] = Up ? L : H;
        P[A + Stride] = Up ? H : L;
      }
    }
}
double difference() {
  double E = difference(fromDevice(D, N), Hand);
  return std::is_sorted(Hand.begin(), Hand.end()) ? E : 1;
}
