//===- Matmul.h - the gradient by hand of a product of matrices -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two products in tiles, of the primal's own kind: DA += DC B', DB += A' DC.
// Each thread owns four places, whose sums are over whole rows and columns.
//
//===----------------------------------------------------------------------===//

#ifndef BENCH_GPU_HAND_MATMUL_H
#define BENCH_GPU_HAND_MATMUL_H

namespace matmul {
namespace hand {

/// DA += DC B', N a multiple of 32; blocks of 32 x 8.
__global__ void left(int N, float *__restrict__ DA, const float *__restrict__ B,
                     const float *__restrict__ DC) {
  constexpr int Tile = 32, Rows = 8, PerThread = Tile / Rows;
  __shared__ float TileC[Tile][Tile], TileB[Tile][Tile + 1];
  int X = threadIdx.x, Y = threadIdx.y;
  int Column = blockIdx.x * Tile, Row = blockIdx.y * Tile + Y;
  float Sum[PerThread] = {0, 0, 0, 0};
  for (int Step = 0; Step < N; Step += Tile) {
#pragma unroll
    for (int P = 0; P < PerThread; ++P) {
      TileC[Y + P * Rows][X] = DC[(Row + P * Rows) * N + Step + X];
      TileB[Y + P * Rows][X] = B[(Column + Y + P * Rows) * N + Step + X];
    }
    __syncthreads();
#pragma unroll
    for (int K = 0; K < Tile; ++K)
#pragma unroll
      for (int P = 0; P < PerThread; ++P)
        Sum[P] += TileC[Y + P * Rows][K] * TileB[X][K];
    __syncthreads();
  }
#pragma unroll
  for (int P = 0; P < PerThread; ++P)
    DA[(Row + P * Rows) * N + Column + X] += Sum[P];
}

/// DB += A' DC, as above.
__global__ void right(int N, const float *__restrict__ A,
                      float *__restrict__ DB, const float *__restrict__ DC) {
  constexpr int Tile = 32, Rows = 8, PerThread = Tile / Rows;
  __shared__ float TileA[Tile][Tile], TileC[Tile][Tile];
  int X = threadIdx.x, Y = threadIdx.y;
  int Column = blockIdx.x * Tile + X, Row = blockIdx.y * Tile;
  float Sum[PerThread] = {0, 0, 0, 0};
  for (int Step = 0; Step < N; Step += Tile) {
#pragma unroll
    for (int P = 0; P < PerThread; ++P) {
      TileA[Y + P * Rows][X] = A[(Step + Y + P * Rows) * N + Row + X];
      TileC[Y + P * Rows][X] = DC[(Step + Y + P * Rows) * N + Column];
    }
    __syncthreads();
#pragma unroll
    for (int K = 0; K < Tile; ++K)
#pragma unroll
      for (int P = 0; P < PerThread; ++P)
        Sum[P] += TileA[K][Y + P * Rows] * TileC[K][X];
    __syncthreads();
  }
#pragma unroll
  for (int P = 0; P < PerThread; ++P)
    DB[(Row + Y + P * Rows) * N + Column] += Sum[P];
}

} // namespace hand
} // namespace matmul

#endif
