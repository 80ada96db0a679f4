//===- Attention.cu - attention in one pass over keys and values -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// softmax(Q K' / sqrt(d)) V without the matrix of scores. --row=1: after FlashAttention
// (T. Dao et al., NeurIPS 2022) and the online softmax (M. Milakov and N. Gimelshein,
// 2018): a thread has one query and its output in registers; tiles of keys and values
// pass through shared memory; the output is rescaled whenever the largest score grows.
// --row=2: the same without tiles, in two passes: the largest score, then the output.
//
// Differentiated: the output by queries, keys and values. A gradient written by hand
// (hand/Attention.h) uses that the softmax's own derivative needs no intermediate
// output; what a compiler sees is a loop whose every trip rescales d numbers.
//
//===----------------------------------------------------------------------===//

#include "GpuBench.h"
#include "hand/Attention.h"

namespace attention {

/// Numbers per head, queries per block, keys per tile.
constexpr int Width = 32, Queries = 64, Keys = 32;

/// All arrays [head][position][Width]; Length a multiple of Queries.
__device__ __forceinline__ void forward(int Length, const float *__restrict__ Q, const float *__restrict__ K,
                                        const float *__restrict__ V, float *__restrict__ Out) {
  __shared__ float TileK[Keys][Width], TileV[Keys][Width];
  int Head = blockIdx.y, Query = blockIdx.x * Queries + threadIdx.x;
  const float *MyQ = Q + (Head * Length + Query) * Width;
  const float *HeadK = K + Head * Length * Width, *HeadV = V + Head * Length * Width;
  float Mine[Width], Sum[Width];
#pragma unroll
  for (int D = 0; D < Width; ++D) {
    Mine[D] = MyQ[D] * 0.17677669529663687f;
    Sum[D] = 0;
  }
  float Largest = -1e30f, Total = 0;
  for (int First = 0; First < Length; First += Keys) {
    __syncthreads();
#pragma unroll
    for (int I = 0; I < Keys * Width / Queries; ++I) {
      int At = I * Queries + threadIdx.x;
      TileK[At / Width][At % Width] = HeadK[First * Width + At];
      TileV[At / Width][At % Width] = HeadV[First * Width + At];
    }
    __syncthreads();
#pragma unroll 1
    for (int J = 0; J < Keys; ++J) {
      float Score = 0;
#pragma unroll
      for (int D = 0; D < Width; ++D)
        Score += Mine[D] * TileK[J][D];
      float Grown = fmaxf(Largest, Score);
      float Old = expf(Largest - Grown), New = expf(Score - Grown);
      Total = Total * Old + New;
#pragma unroll
      for (int D = 0; D < Width; ++D)
        Sum[D] = Sum[D] * Old + New * TileV[J][D];
      Largest = Grown;
    }
  }
  float *MyOut = Out + (Head * Length + Query) * Width;
#pragma unroll
  for (int D = 0; D < Width; ++D)
    MyOut[D] = Sum[D] / Total;
}

/// The same, from where keys and values are.
__device__ __forceinline__ void naive(int Length, const float *__restrict__ Q, const float *__restrict__ K,
                                      const float *__restrict__ V, float *__restrict__ Out) {
  int Head = blockIdx.y, Query = blockIdx.x * Queries + threadIdx.x;
  const float *MyQ = Q + (Head * Length + Query) * Width;
  const float *HeadK = K + Head * Length * Width, *HeadV = V + Head * Length * Width;
  float Mine[Width], Sum[Width];
#pragma unroll
  for (int D = 0; D < Width; ++D) {
    Mine[D] = MyQ[D] * 0.17677669529663687f;
    Sum[D] = 0;
  }
  float Largest = -1e30f, Total = 0;
#pragma unroll 1
  for (int J = 0; J < Length; ++J) {
    float Score = 0;
#pragma unroll
    for (int D = 0; D < Width; ++D)
      Score += Mine[D] * HeadK[J * Width + D];
    Largest = fmaxf(Largest, Score);
  }
#pragma unroll 1
  for (int J = 0; J < Length; ++J) {
    float Score = 0;
#pragma unroll
    for (int D = 0; D < Width; ++D)
      Score += Mine[D] * HeadK[J * Width + D];
    float Part = expf(Score - Largest);
    Total += Part;
#pragma unroll
    for (int D = 0; D < Width; ++D)
      Sum[D] += Part * HeadV[J * Width + D];
  }
  float *MyOut = Out + (Head * Length + Query) * Width;
#pragma unroll
  for (int D = 0; D < Width; ++D)
    MyOut[D] = Sum[D] / Total;
}

#define KERNELS(F)                                                                                                     \
  __global__ void F##Primal(int Length, const float *Q, const float *K, const float *V, float *Out) {                  \
    F(Length, Q, K, V, Out);                                                                                           \
  }                                                                                                                    \
  __global__ void F##Gradient(int Length, const float *Q, float *DQ, const float *K, float *DK, const float *V,        \
                              float *DV, float *Out, float *DOut) {                                                    \
    __enzyme_autodiff((void *)F, enzyme_const, Length, enzyme_dup, Q, DQ, enzyme_dup, K, DK, enzyme_dup, V, DV,        \
                      enzyme_dup, Out, DOut);                                                                          \
  }                                                                                                                    \
  __global__ void F##Forward(int Length, const float *Q, float *DQ, const float *K, float *DK, const float *V,         \
                             float *DV, float *Out, float *DOut) {                                                     \
    __enzyme_fwddiff((void *)F, enzyme_const, Length, enzyme_dup, Q, DQ, enzyme_dup, K, DK, enzyme_dup, V, DV,         \
                     enzyme_dup, Out, DOut);                                                                           \
  }
KERNELS(forward)
KERNELS(naive)

} // namespace attention

int main(int Count, char **Words) {
  using namespace attention;
  bench::Options Settings(Count, Words);
  int Length = Settings.size("length", 128, 2048), Heads = Settings.size("heads", 1, 32);
  int Row = int(Settings.number("row", 0));
  // What the constructors of the programs ask for.
  { bench::Program Known("", "", Settings); }
  Settings.finish();
  if (Length % hand::Threads) {
    std::fprintf(stderr, "length must be a multiple of %d\n", hand::Threads);
    return 2;
  }

  bench::Random Numbers(7);
  size_t Size = size_t(Heads) * Length * Width;
  auto Fill = [&] {
    std::vector<float> Start(Size);
    for (float &X : Start)
      X = float(Numbers.uniform(-1, 1));
    return bench::upload(Start);
  };
  float *Q = Fill(), *K = Fill(), *V = Fill(), *Out = bench::allocate<float>(Size);
  auto Shadow = [&] { return bench::allocate<float>(Size); };
  float *DQ = Shadow(), *DK = Shadow(), *DV = Shadow(), *DOut = Shadow();
  float *Logs = bench::allocate<float>(Size / Width), *Dots = bench::allocate<float>(Size / Width);
  dim3 Grid(Length / Queries, Heads), HandGrid(Length / hand::Threads, Heads);

  int Status = 0;
  auto Run = [&](const char *Name, auto *PrimalKernel, auto *GradientKernel, auto *ForwardKernel, auto *HandQueries,
                 auto *HandKeys) {
    bench::Program Program(Name, std::to_string(Heads) + " heads x " + std::to_string(Length), Settings);
    Program.field(Q, DQ, Size, true, false);
    Program.field(K, DK, Size, true, false);
    Program.field(V, DV, Size, true, false);
    Program.field(Out, DOut, Size, false, true);
    Program.Step = 1e-2;
    Program.Tolerance = 1e-4;
    Program.DifferencesTolerance = 5e-3;
    Program.Threads = size_t(Length) * Heads;
    Program.Primal = [=] { PrimalKernel<<<Grid, Queries>>>(Length, Q, K, V, Out); };
    Program.Gradient = [=] { GradientKernel<<<Grid, Queries>>>(Length, Q, DQ, K, DK, V, DV, Out, DOut); };
    Program.Forward = [=] { ForwardKernel<<<Grid, Queries>>>(Length, Q, DQ, K, DK, V, DV, Out, DOut); };
    Program.Hand = [=] {
      HandQueries<<<HandGrid, hand::Threads>>>(Length, Q, DQ, K, V, DOut, Logs, Dots);
      HandKeys<<<HandGrid, hand::Threads>>>(Length, Q, K, DK, V, DV, DOut, Logs, Dots);
    };
    Program.kernels((const void *)PrimalKernel, (const void *)GradientKernel, (const void *)HandKeys);
    Status |= Program.run();
  };
  if (Row != 2)
    Run("attention", forwardPrimal, forwardGradient, forwardForward, hand::queries<true>, hand::keys<true>);
  if (Row != 1)
    Run("attention, naive", naivePrimal, naiveGradient, naiveForward, hand::queries<false>, hand::keys<false>);
  return Status;
}
