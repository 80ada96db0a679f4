//===- Attention.h - the gradient by hand of attention ----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two kernels, after FlashAttention-2 (T. Dao, 2023), without atomic additions.
// With P = softmax(scores), O the output and dO its adjoint, the adjoint of a
// score is P (dO V' - dO . O): the softmax's derivative needs one number of a
// query, dO . O, which is the sum over the keys of P (dO V').
//
// queries: a thread has a query. The first pass over the keys finds the
// logarithm of the sum of exponentials and dO . O, with a running maximum; the
// second adds up the query's adjoint. keys: a thread has a key and its value,
// and adds up the adjoints of both over the queries.
//
// Tiled: rows pass through shared memory; else they are read where they are.
//
//===----------------------------------------------------------------------===//

#ifndef BENCH_GPU_HAND_ATTENTION_H
#define BENCH_GPU_HAND_ATTENTION_H

namespace attention {
namespace hand {

/// Numbers of a row, in fours; rows that pass through shared memory at once.
constexpr int Fours = 8, Rows = 32, Threads = 128;
constexpr float Scale = 0.17677669529663687f;

struct Row {
  float4 Of[Fours];
};

__device__ inline Row load(const float *From) {
  Row R;
#pragma unroll
  for (int I = 0; I < Fours; ++I)
    R.Of[I] = reinterpret_cast<const float4 *>(From)[I];
  return R;
}
__device__ inline void add(float *To, const Row &R) {
#pragma unroll
  for (int I = 0; I < Fours; ++I) {
    float4 *At = reinterpret_cast<float4 *>(To) + I, Old = *At;
    *At = make_float4(Old.x + R.Of[I].x, Old.y + R.Of[I].y, Old.z + R.Of[I].z,
                      Old.w + R.Of[I].w);
  }
}
__device__ inline float dot(const Row &A, const float4 *B) {
  float4 Sum = make_float4(0, 0, 0, 0);
#pragma unroll
  for (int I = 0; I < Fours; ++I) {
    float4 X = A.Of[I], Y = B[I];
    Sum.x += X.x * Y.x, Sum.y += X.y * Y.y, Sum.z += X.z * Y.z,
        Sum.w += X.w * Y.w;
  }
  return (Sum.x + Sum.y) + (Sum.z + Sum.w);
}
__device__ inline void addTimes(Row &A, float X, const float4 *B) {
#pragma unroll
  for (int I = 0; I < Fours; ++I) {
    A.Of[I].x += X * B[I].x, A.Of[I].y += X * B[I].y;
    A.Of[I].z += X * B[I].z, A.Of[I].w += X * B[I].w;
  }
}

/// Calls F(row of A, row of B, its number) for all rows, in order. All threads
/// of the block come along.
template <bool Tiled, class Function>
__device__ inline void forRows(int Length, const float *A, const float *B,
                               Function F) {
  const float4 *FourA = reinterpret_cast<const float4 *>(A),
               *FourB = reinterpret_cast<const float4 *>(B);
  if constexpr (Tiled) {
    __shared__ float4 TileA[Rows * Fours], TileB[Rows * Fours];
    for (int First = 0; First < Length; First += Rows) {
      __syncthreads();
#pragma unroll
      for (int I = threadIdx.x; I < Rows * Fours; I += Threads) {
        TileA[I] = FourA[First * Fours + I];
        TileB[I] = FourB[First * Fours + I];
      }
      __syncthreads();
#pragma unroll 1
      for (int J = 0; J < Rows; ++J)
        F(TileA + J * Fours, TileB + J * Fours, First + J);
    }
  } else {
#pragma unroll 1
    for (int J = 0; J < Length; ++J)
      F(FourA + J * Fours, FourB + J * Fours, J);
  }
}

/// Logs[query] = log(sum of exponentials of its scores), Dots[query] = dO . O;
/// DQ += its adjoint. Length is a multiple of Threads.
template <bool Tiled>
__global__ void __launch_bounds__(Threads)
    queries(int Length, const float *__restrict__ Q, float *__restrict__ DQ,
            const float *__restrict__ K, const float *__restrict__ V,
            const float *__restrict__ DOut, float *__restrict__ Logs,
            float *__restrict__ Dots) {
  size_t Head = size_t(blockIdx.y) * Length;
  size_t Query = Head + blockIdx.x * Threads + threadIdx.x;
  const float *HeadK = K + Head * Fours * 4, *HeadV = V + Head * Fours * 4;
  Row Mine = load(Q + Query * Fours * 4), Seed = load(DOut + Query * Fours * 4);
#pragma unroll
  for (float4 &X : Mine.Of)
    X.x *= Scale, X.y *= Scale, X.z *= Scale, X.w *= Scale;
  float Largest = -1e30f, Total = 0, Dot = 0;
  forRows<Tiled>(Length, HeadK, HeadV,
                 [&](const float4 *Key, const float4 *Value, int) {
                   float Score = dot(Mine, Key), Of = dot(Seed, Value);
                   float Grown = fmaxf(Largest, Score);
                   float Old = expf(Largest - Grown), New = expf(Score - Grown);
                   Total = Total * Old + New;
                   Dot = Dot * Old + New * Of;
                   Largest = Grown;
                 });
  float Log = Largest + logf(Total);
  Dot /= Total;
  Logs[Query] = Log;
  Dots[Query] = Dot;
  Row Sum = {};
  forRows<Tiled>(Length, HeadK, HeadV,
                 [&](const float4 *Key, const float4 *Value, int) {
                   float P = expf(dot(Mine, Key) - Log);
                   addTimes(Sum, P * (dot(Seed, Value) - Dot) * Scale, Key);
                 });
  add(DQ + Query * Fours * 4, Sum);
}

/// DK and DV += the adjoints of a key and its value.
template <bool Tiled>
__global__ void __launch_bounds__(Threads)
    keys(int Length, const float *__restrict__ Q, const float *__restrict__ K,
         float *__restrict__ DK, const float *__restrict__ V,
         float *__restrict__ DV, const float *__restrict__ DOut,
         const float *__restrict__ Logs, const float *__restrict__ Dots) {
  size_t Head = size_t(blockIdx.y) * Length;
  size_t Key = Head + blockIdx.x * Threads + threadIdx.x;
  Row Mine = load(K + Key * Fours * 4), Value = load(V + Key * Fours * 4);
#pragma unroll
  for (float4 &X : Mine.Of)
    X.x *= Scale, X.y *= Scale, X.z *= Scale, X.w *= Scale;
  Row OfKey = {}, OfValue = {};
  forRows<Tiled>(Length, Q + Head * Fours * 4, DOut + Head * Fours * 4,
                 [&](const float4 *Query, const float4 *Seed, int I) {
                   float P = expf(dot(Mine, Query) - Logs[Head + I]);
                   float D = P * (dot(Value, Seed) - Dots[Head + I]) * Scale;
                   addTimes(OfKey, D, Query);
                   addTimes(OfValue, P, Seed);
                 });
  add(DK + Key * Fours * 4, OfKey);
  add(DV + Key * Fours * 4, OfValue);
}

} // namespace hand
} // namespace attention

#endif
