// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers: in straight code, in loops, in uniform branches, in called functions, after
// threads have left; a sum over a block, prefix sums, a kernel with three loops.
// RG-LEVELS: O0 O2 O3
// RG-PLANS: mincut
#include "rgtest.h"
#include <cuda_runtime.h>
#include <vector>

__global__ void blockSum(const float *In, float *Out, int N) {
  __shared__ float Part[128];
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  Part[threadIdx.x] = I < N ? In[I] : 0;
  __syncthreads();
  for (unsigned Half = blockDim.x / 2; Half > 0; Half /= 2) {
    if (threadIdx.x < Half)
      Part[threadIdx.x] += Part[threadIdx.x + Half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    Out[blockIdx.x] = Part[0];
}

// Values of each thread live across a loop with barriers; two-dimensional blocks.
__global__ void transposeAndAdd(const double *In, double *Out, int N, int Rounds) {
  __shared__ double Tile[8][9];
  int X = blockIdx.x * 8 + threadIdx.x, Y = blockIdx.y * 8 + threadIdx.y;
  double Mine = In[Y * N + X], Sum = 0;
  for (int R = 0; R < Rounds; ++R) {
    Tile[threadIdx.y][threadIdx.x] = Mine + R;
    __syncthreads();
    Sum += Tile[threadIdx.x][threadIdx.y];
    __syncthreads();
  }
  Out[Y * N + X] = Sum + Mine;
}

// Hillis and Steele's scan; threads behind the end leave before the first barrier.
__device__ void step(int *Buffer, int From, int To, int D, int I) {
  Buffer[To + I] = Buffer[From + I] + (I >= D ? Buffer[From + I - D] : 0);
  __syncthreads();
}
__global__ void scan(const int *In, int *Out, int N) {
  extern __shared__ int Buffer[];
  int I = threadIdx.x;
  if (I >= N)
    return;
  Buffer[I] = In[I];
  __syncthreads();
  int From = 0, To = N;
  for (int D = 1; D < N; D *= 2) {
    step(Buffer, From, To, D, I);
    int T = From;
    From = To;
    To = T;
  }
  Out[I] = Buffer[From + I];
}

// A barrier in a branch that all threads of a block take alike, chosen by memory.
__global__ void chosen(const int *Mode, float *X) {
  __shared__ float S[64];
  int I = threadIdx.x, J = blockDim.x - 1 - I;
  S[I] = X[blockIdx.x * 64 + I];
  if (Mode[blockIdx.x] == 1) {
    __syncthreads();
    X[blockIdx.x * 64 + I] = S[J];
  } else if (Mode[blockIdx.x] == 2) {
    float A = S[I];
    __syncthreads();
    S[J] = A * 2;
    __syncthreads();
    X[blockIdx.x * 64 + I] = S[I] + A;
  }
}

// The number of rounds is found by all threads together.
__global__ void untilEven(int *X, int *Rounds) {
  int I = threadIdx.x, Count = 0;
  while (__syncthreads_or(X[I] % 2)) {
    if (X[I] % 2)
      X[I] = X[I] / 2;
    ++Count;
  }
  int Zero = __syncthreads_count(X[I] == 0);
  int All = __syncthreads_and(X[I] % 2 == 0);
  if (I == 0)
    Rounds[0] = Count, Rounds[1] = Zero, Rounds[2] = All;
}

template <class T> static T *device(const std::vector<T> &V) {
  T *P;
  cudaMalloc(&P, V.size() * sizeof(T));
  cudaMemcpy(P, V.data(), V.size() * sizeof(T), cudaMemcpyHostToDevice);
  return P;
}
template <class T> static std::vector<T> host(T *P, size_t N) {
  std::vector<T> V(N);
  cudaMemcpy(V.data(), P, N * sizeof(T), cudaMemcpyDeviceToHost);
  cudaFree(P);
  return V;
}

int main() {
  {
    const int N = 1000, Blocks = 8;
    std::vector<float> In(N);
    for (int I = 0; I < N; ++I)
      In[I] = I % 17 * 0.25f;
    float *D = device(In), *Out = device(std::vector<float>(Blocks));
    blockSum<<<Blocks, 128>>>(D, Out, N);
    std::vector<float> Got = host(Out, Blocks);
    for (int B = 0; B < Blocks; ++B) {
      float Want = 0;
      for (int I = B * 128; I < (B + 1) * 128 && I < N; ++I)
        Want += In[I];
      RG_NEAR(Got[B], Want);
    }
    cudaFree(D);
  }
  {
    const int N = 16;
    std::vector<double> In(N * N);
    for (int I = 0; I < N * N; ++I)
      In[I] = I * 0.5;
    double *D = device(In), *Out = device(In);
    transposeAndAdd<<<dim3(2, 2), dim3(8, 8)>>>(D, Out, N, 3);
    std::vector<double> Got = host(Out, N * N);
    for (int Y = 0; Y < N; ++Y)
      for (int X = 0; X < N; ++X) {
        int TX = X / 8 * 8 + Y % 8, TY = Y / 8 * 8 + X % 8;
        RG_NEAR(Got[Y * N + X], 3 * In[TY * N + TX] + 3 + In[Y * N + X]);
      }
    cudaFree(D);
  }
  {
    const int N = 77;
    std::vector<int> In(N);
    for (int I = 0; I < N; ++I)
      In[I] = I * 7 % 13 - 3;
    int *D = device(In), *Out = device(In);
    scan<<<1, 128, 2 * N * sizeof(int)>>>(D, Out, N);
    std::vector<int> Got = host(Out, N);
    for (int I = 0, Sum = 0; I < N; ++I) {
      Sum += In[I];
      RG_NEAR(Got[I], Sum);
    }
    cudaFree(D);
  }
  {
    std::vector<int> Mode = {0, 1, 2};
    std::vector<float> X(192);
    for (int I = 0; I < 192; ++I)
      X[I] = I;
    int *M = device(Mode);
    float *D = device(X);
    chosen<<<3, 64>>>(M, D);
    std::vector<float> Got = host(D, 192);
    for (int I = 0; I < 64; ++I) {
      RG_NEAR(Got[I], I);
      RG_NEAR(Got[64 + I], 64 + 63 - I);
      RG_NEAR(Got[128 + I], 2 * (128 + 63 - I) + 128 + I);
    }
    cudaFree(M);
  }
  {
    std::vector<int> X(100, 4);
    X[3] = 7; // 7 -> 3 -> 1 -> 0
    X[5] = 2;
    int *D = device(X), *R = device(std::vector<int>(3));
    untilEven<<<1, 100>>>(D, R);
    std::vector<int> Got = host(R, 3);
    RG_NEAR(Got[0], 3);
    RG_NEAR(Got[1], 1);
    RG_NEAR(Got[2], 1);
    cudaFree(D);
  }
  RG_NEAR(cudaDeviceSynchronize(), cudaSuccess);
  return rgReport();
}
