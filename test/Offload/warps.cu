// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of a warp: shuffles of every kind and width, votes, matches, reductions; in
// loops, in branches that only some warps or lanes take, in blocks that end within a
// warp, in blocks of two dimensions.
// RG-LEVELS: O0 O2 O3
// RG-PLANS: mincut
#include "rgtest.h"
#include <cuda_runtime.h>
#include <initializer_list>

constexpr unsigned All = 0xffffffff;

__global__ void shuffles(int *Out) {
  int Lane = threadIdx.x % 32, V = threadIdx.x * 10, *P = Out + threadIdx.x * 8;
  P[0] = __shfl_down_sync(All, V, 3);
  P[1] = __shfl_up_sync(All, V, 5);
  P[2] = __shfl_xor_sync(All, V, 7);
  P[3] = __shfl_sync(All, V, 31 - Lane);
  P[4] = __shfl_down_sync(All, V, 2, 8);
  P[5] = __shfl_sync(All, V, 1, 4);
  double D = __shfl_xor_sync(All, V + 0.5, 1);
  P[6] = (int)(D * 2);
  float F = __shfl_down_sync(All, V * 0.5f, 1, 16);
  P[7] = (int)F;
}

__global__ void votes(unsigned *Out) {
  int I = threadIdx.x;
  unsigned *P = Out + I * 8;
  P[0] = __ballot_sync(All, I % 3 == 0);
  P[1] = __any_sync(All, I == 40);
  P[2] = __all_sync(All, I < 64);
  P[3] = __match_any_sync(All, I / 5);
  P[4] = __reduce_add_sync(All, (unsigned)I);
  P[5] = __reduce_max_sync(All, -I) + 1000;
  P[6] = __activemask();
  int Agree;
  P[7] = __match_all_sync(All, I / 32, &Agree) + Agree;
}

// The usual sum: warps by shuffles, then the first warp over the warps' sums.
__device__ float warpSum(float V) {
  for (int D = 16; D > 0; D /= 2)
    V += __shfl_down_sync(All, V, D);
  return V;
}
__global__ void blockSum(const float *In, float *Out, int N) {
  __shared__ float Sums[32];
  float V = 0;
  for (int I = blockIdx.x * blockDim.x + threadIdx.x; I < N; I += gridDim.x * blockDim.x)
    V += In[I];
  V = warpSum(V);
  int Lane = threadIdx.x % 32, Warp = threadIdx.x / 32;
  if (Lane == 0)
    Sums[Warp] = V;
  __syncthreads();
  if (Warp == 0) {
    V = Lane < (blockDim.x + 31) / 32 ? Sums[Lane] : 0;
    V = warpSum(V);
    if (Lane == 0)
      atomicAdd(Out, V);
  }
}

// Lanes in different branches meet at operations of their own, with masks of their own.
__global__ void apart(int *Out) {
  int Lane = threadIdx.x % 32, R;
  if (Lane < 8) {
    R = __shfl_sync(0xff, Lane, 7 - Lane);
    R += 100 * __popc(__ballot_sync(0xff, Lane % 2));
  } else if (Lane % 2) {
    unsigned Odd = 0xaaaaaa00;
    R = __shfl_down_sync(Odd, Lane, 2);
  } else {
    R = __popc(__activemask());
  }
  __syncwarp();
  Out[threadIdx.x] = R + 10000 * __any_sync(All, R == 7);
}

// Lanes leave a loop at different times; those that are left go on together.
__global__ void leaving(int *Out, int *Counter) {
  int I = threadIdx.x, Rounds = 0, N = I % 5 + 1;
  for (;;) {
    unsigned Here = __activemask();
    int Leader = __ffs(Here) - 1;
    int Base = 0;
    if ((I & 31) == Leader)
      Base = atomicAdd(Counter, __popc(Here));
    Base = __shfl_sync(Here, Base, Leader);
    (void)Base;
    ++Rounds;
    if (Rounds == N)
      break;
  }
  Out[I] = Rounds;
}

__global__ void twoDimensions(int *Out) {
  int Number = threadIdx.y * blockDim.x + threadIdx.x;
  int V = __shfl_xor_sync(All, (int)(threadIdx.y * 100 + threadIdx.x), 1);
  Out[Number] = V + 100000 * (__ballot_sync(All, threadIdx.y == 0) == (1u << blockDim.x) - 1);
}

int main() {
  int *Out, Got[2048];
  cudaMalloc(&Out, sizeof Got);
  shuffles<<<1, 64>>>(Out);
  cudaMemcpy(Got, Out, sizeof Got, cudaMemcpyDeviceToHost);
  for (int I = 0; I < 64; ++I) {
    int Lane = I % 32, W = I - Lane, *P = Got + I * 8;
    RG_NEAR(P[0], 10 * (Lane + 3 < 32 ? I + 3 : I));
    RG_NEAR(P[1], 10 * (Lane >= 5 ? I - 5 : I));
    RG_NEAR(P[2], 10 * (W + (Lane ^ 7)));
    RG_NEAR(P[3], 10 * (W + 31 - Lane));
    RG_NEAR(P[4], 10 * (Lane % 8 + 2 < 8 ? I + 2 : I));
    RG_NEAR(P[5], 10 * (I / 4 * 4 + 1));
    RG_NEAR(P[6], 2 * (10 * (I ^ 1)) + 1);
    RG_NEAR(P[7], 5 * (Lane % 16 < 15 ? I + 1 : I));
  }
  votes<<<1, 72>>>((unsigned *)Out);
  cudaMemcpy(Got, Out, sizeof Got, cudaMemcpyDeviceToHost);
  for (int I = 0; I < 72; ++I) {
    int W = I / 32 * 32, End = W + 32 < 72 ? W + 32 : 72;
    unsigned Ballot = 0, Match = 0, Sum = 0, Active = 0;
    for (int J = W; J < End; ++J) {
      Ballot |= (unsigned)(J % 3 == 0) << (J - W);
      Match |= (unsigned)(J / 5 == I / 5) << (J - W);
      Active |= 1u << (J - W);
      Sum += J;
    }
    unsigned *P = (unsigned *)Got + I * 8;
    RG_NEAR(P[0], Ballot);
    RG_NEAR(P[1], W == 32);
    RG_NEAR(P[2], W < 64);
    RG_NEAR(P[3], Match);
    RG_NEAR(P[4], Sum);
    RG_NEAR((int)P[5], 1000 - W);
    RG_NEAR(P[6], Active);
    RG_NEAR(P[7], Active + 1);
  }
  const int N = 5000;
  float *In, *Sum, *Host = new float[N], Want = 0, Total;
  for (int I = 0; I < N; ++I)
    Want += Host[I] = I % 11 * 0.5f;
  cudaMalloc(&In, N * sizeof(float));
  cudaMalloc(&Sum, sizeof(float));
  for (int Threads : {32, 96, 256, 1024}) {
    cudaMemcpy(In, Host, N * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemset(Sum, 0, sizeof(float));
    blockSum<<<3, Threads>>>(In, Sum, N);
    cudaMemcpy(&Total, Sum, sizeof Total, cudaMemcpyDeviceToHost);
    RG_NEAR(Total, Want);
  }
  apart<<<1, 64>>>(Out);
  cudaMemcpy(Got, Out, sizeof Got, cudaMemcpyDeviceToHost);
  for (int I = 0; I < 64; ++I) {
    int L = I % 32;
    int R = L < 8 ? 7 - L + 400 : L % 2 ? (L + 2 < 32 ? L + 2 : L) : 12;
    RG_NEAR(Got[I], R);
  }
  int *Counter;
  cudaMalloc(&Counter, sizeof(int));
  cudaMemset(Counter, 0, sizeof(int));
  leaving<<<1, 45>>>(Out, Counter);
  cudaMemcpy(Got, Out, sizeof Got, cudaMemcpyDeviceToHost);
  int Steps = 0;
  for (int I = 0; I < 45; ++I) {
    RG_NEAR(Got[I], I % 5 + 1);
    Steps += I % 5 + 1;
  }
  int Counted;
  cudaMemcpy(&Counted, Counter, sizeof(int), cudaMemcpyDeviceToHost);
  RG_NEAR(Counted, Steps);
  twoDimensions<<<1, dim3(16, 4)>>>(Out);
  cudaMemcpy(Got, Out, sizeof Got, cudaMemcpyDeviceToHost);
  for (int I = 0; I < 64; ++I)
    RG_NEAR(Got[I], I / 16 * 100 + I % 16 % 2 * -1 + (I % 16 % 2 ? 0 : 1) + I % 16 + (I < 32 ? 100000 : 0));
  RG_NEAR(cudaGetLastError(), cudaSuccess);
  return rgReport();
}
