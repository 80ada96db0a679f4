//===- Attention.cu - attention in one pass over keys and values -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// softmax(Q K' / sqrt(d)) V without the matrix of scores, after FlashAttention (T. Dao
// et al., NeurIPS 2022) and the online softmax (M. Milakov and N. Gimelshein, 2018):
// a thread has one query and its output in registers; tiles of keys and values pass
// through shared memory; the output is rescaled whenever the largest score grows.
//
// Differentiated: the output by queries, keys and values. A gradient written by hand
// uses that the softmax's own derivative needs no intermediate output; what a
// compiler sees is a loop whose every trip rescales d numbers.
//
//===----------------------------------------------------------------------===//

#include "GpuBench.h"

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

__global__ void primalKernel(int Length, const float *Q, const float *K, const float *V, float *Out) {
  forward(Length, Q, K, V, Out);
}
__global__ void gradientKernel(int Length, const float *Q, float *DQ, const float *K, float *DK, const float *V,
                               float *DV, float *Out, float *DOut) {
  __enzyme_autodiff((void *)forward, enzyme_const, Length, enzyme_dup, Q, DQ, enzyme_dup, K, DK, enzyme_dup, V, DV,
                    enzyme_dup, Out, DOut);
}
__global__ void forwardKernel(int Length, const float *Q, float *DQ, const float *K, float *DK, const float *V,
                              float *DV, float *Out, float *DOut) {
  __enzyme_fwddiff((void *)forward, enzyme_const, Length, enzyme_dup, Q, DQ, enzyme_dup, K, DK, enzyme_dup, V, DV,
                   enzyme_dup, Out, DOut);
}

} // namespace attention

int main(int Count, char **Words) {
  using namespace attention;
  bench::Options Settings(Count, Words);
  int Length = Settings.size("length", 128, 2048), Heads = Settings.size("heads", 1, 32);
  bench::Program Program("attention", std::to_string(Heads) + " heads x " + std::to_string(Length), Settings);
  Settings.finish();
  if (Length % Queries) {
    std::fprintf(stderr, "length must be a multiple of %d\n", Queries);
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
  Program.field(Q, DQ, Size, true, false);
  Program.field(K, DK, Size, true, false);
  Program.field(V, DV, Size, true, false);
  Program.field(Out, DOut, Size, false, true);
  Program.Step = 1e-2;
  Program.Tolerance = 1e-4;
  Program.DifferencesTolerance = 5e-3;

  dim3 Grid(Length / Queries, Heads);
  Program.Threads = size_t(Length) * Heads;
  Program.Primal = [=] { primalKernel<<<Grid, Queries>>>(Length, Q, K, V, Out); };
  Program.Gradient = [=] { gradientKernel<<<Grid, Queries>>>(Length, Q, DQ, K, DK, V, DV, Out, DOut); };
  Program.Forward = [=] { forwardKernel<<<Grid, Queries>>>(Length, Q, DQ, K, DK, V, DV, Out, DOut); };
  return Program.run();
}
