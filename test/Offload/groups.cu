// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperative groups: blocks, tiles, coalesced threads, the grid's sizes; half precision.
// RG-LEVELS: O0 O2
// RG-PLANS: mincut
#include "rgtest.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

template <unsigned Size> __global__ void tiles(const double *In, double *Out) {
  cg::thread_block Block = cg::this_thread_block();
  auto Tile = cg::tiled_partition<Size>(Block);
  double V = In[Block.thread_rank()];
  for (unsigned D = Tile.size() / 2; D > 0; D /= 2)
    V += Tile.shfl_down(V, D);
  V += 1000 * Tile.any(In[Block.thread_rank()] == 5) + 10000 * __popc(Tile.ballot(1));
  if (Tile.thread_rank() == 0)
    Out[Tile.meta_group_rank()] = V;
}

__global__ void reduced(const int *In, int *Out) {
  auto Tile = cg::tiled_partition<32>(cg::this_thread_block());
  int V = In[threadIdx.x];
  int Sum = cg::reduce(Tile, V, cg::plus<int>()), Most = cg::reduce(Tile, V, cg::greater<int>());
  Out[threadIdx.x] = Sum * 1000 + Most;
}

// Threads that pass a test take consecutive places, one atomic per warp.
__global__ void filter(const int *In, int N, int *Out, int *Count) {
  for (int I = threadIdx.x; I < N; I += blockDim.x)
    if (In[I] % 3 == 0) {
      cg::coalesced_group Active = cg::coalesced_threads();
      int Base;
      if (Active.thread_rank() == 0)
        Base = atomicAdd(Count, (int)Active.size());
      Out[Active.shfl(Base, 0) + Active.thread_rank()] = In[I];
    }
}

__global__ void gridSizes(unsigned long long *Out) {
  auto Grid = cg::this_grid();
  if (Grid.thread_rank() == Grid.size() - 1)
    Out[0] = Grid.size();
}

__global__ void halves(const float *In, __half *Out, float *Sum) {
  __half V = __float2half(In[threadIdx.x]);
  __half2 P = __half2half2(V) * __floats2half2_rn(2, 3);
  Out[threadIdx.x] = __hfma(V, V, __low2half(P)) + __high2half(P);
  float S = __half2float(V);
  for (int D = 16; D; D /= 2)
    S += __shfl_xor_sync(0xffffffff, S, D);
  Sum[threadIdx.x] = S;
}

int main() {
  double *In, *Out, HostIn[64], HostOut[64];
  for (int I = 0; I < 64; ++I)
    HostIn[I] = I * 1.25;
  cudaMalloc(&In, sizeof HostIn);
  cudaMalloc(&Out, sizeof HostOut);
  cudaMemcpy(In, HostIn, sizeof HostIn, cudaMemcpyHostToDevice);
  auto Check = [&](int Size) {
    cudaMemcpy(HostOut, Out, sizeof HostOut, cudaMemcpyDeviceToHost);
    for (int T = 0; T < 64 / Size; ++T) {
      double Want = 10000 * Size;
      for (int I = T * Size; I < (T + 1) * Size; ++I)
        Want += HostIn[I] + (HostIn[I] == 5 ? 1000 : 0);
      RG_NEAR(HostOut[T], Want);
    }
  };
  tiles<32><<<1, 64>>>(In, Out);
  Check(32);
  tiles<16><<<1, 64>>>(In, Out);
  Check(16);
  tiles<4><<<1, 64>>>(In, Out);
  Check(4);

  int *A, *B, *Count, HostA[96], HostB[96], N = 0;
  for (int I = 0; I < 96; ++I)
    HostA[I] = I * 7 % 31;
  cudaMalloc(&A, sizeof HostA);
  cudaMalloc(&B, sizeof HostB);
  cudaMalloc(&Count, sizeof(int));
  cudaMemcpy(A, HostA, sizeof HostA, cudaMemcpyHostToDevice);
  reduced<<<1, 96>>>(A, B);
  cudaMemcpy(HostB, B, sizeof HostB, cudaMemcpyDeviceToHost);
  for (int I = 0; I < 96; ++I) {
    int Sum = 0, Most = 0;
    for (int J = I / 32 * 32; J < I / 32 * 32 + 32; ++J) {
      Sum += HostA[J];
      Most = HostA[J] > Most ? HostA[J] : Most;
    }
    RG_NEAR(HostB[I], Sum * 1000 + Most);
  }
  cudaMemset(Count, 0, sizeof(int));
  filter<<<1, 64>>>(A, 96, B, Count);
  int Found, Seen[31] = {};
  cudaMemcpy(&Found, Count, sizeof Found, cudaMemcpyDeviceToHost);
  cudaMemcpy(HostB, B, sizeof HostB, cudaMemcpyDeviceToHost);
  for (int I = 0; I < 96; ++I)
    N += HostA[I] % 3 == 0, Seen[HostA[I]] += HostA[I] % 3 == 0;
  RG_NEAR(Found, N);
  for (int I = 0; I < Found; ++I)
    --Seen[HostB[I]];
  for (int S : Seen)
    RG_NEAR(S, 0);
  unsigned long long *Size, HostSize;
  cudaMalloc(&Size, sizeof HostSize);
  gridSizes<<<dim3(2, 3), dim3(4, 5)>>>(Size);
  cudaMemcpy(&HostSize, Size, sizeof HostSize, cudaMemcpyDeviceToHost);
  RG_NEAR(HostSize, 120);

  float *F, *S, HostF[32], HostS[32];
  __half *H, HostH[32];
  for (int I = 0; I < 32; ++I)
    HostF[I] = I * 0.25f;
  cudaMalloc(&F, sizeof HostF);
  cudaMalloc(&S, sizeof HostS);
  cudaMalloc(&H, sizeof HostH);
  cudaMemcpy(F, HostF, sizeof HostF, cudaMemcpyHostToDevice);
  halves<<<1, 32>>>(F, H, S);
  cudaMemcpy(HostH, H, sizeof HostH, cudaMemcpyDeviceToHost);
  cudaMemcpy(HostS, S, sizeof HostS, cudaMemcpyDeviceToHost);
  for (int I = 0; I < 32; ++I) {
    RG_WITHIN(__half2float(HostH[I]), HostF[I] * HostF[I] + 5 * HostF[I], 2e-3);
    RG_NEAR(HostS[I], 124);
  }
  return rgReport();
}
