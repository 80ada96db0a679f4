//===- Matmul.cu - a matrix product in tiles of shared memory --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The textbook's kernel: a block makes a 32 x 32 tile of C; the tiles of A and B that
// it needs pass through shared memory, with a barrier before and after each. 8 rows
// of threads, each thread four rows of C.
//
// Differentiated: all of C by all of A and B.
//
//===----------------------------------------------------------------------===//

#include "GpuBench.h"
#include "hand/Matmul.h"

namespace matmul {

constexpr int Tile = 32, Rows = 8, PerThread = Tile / Rows;

/// C = A B, square, row-major, N a multiple of Tile.
__device__ __forceinline__ void product(int N, const float *__restrict__ A, const float *__restrict__ B,
                                        float *__restrict__ C) {
  __shared__ float TileA[Tile][Tile], TileB[Tile][Tile];
  int X = threadIdx.x, Y = threadIdx.y;
  int Column = blockIdx.x * Tile + X, Row = blockIdx.y * Tile + Y;
  float Sum[PerThread] = {0, 0, 0, 0};
  for (int Step = 0; Step < N; Step += Tile) {
#pragma unroll
    for (int P = 0; P < PerThread; ++P) {
      TileA[Y + P * Rows][X] = A[(Row + P * Rows) * N + Step + X];
      TileB[Y + P * Rows][X] = B[(Step + Y + P * Rows) * N + Column];
    }
    __syncthreads();
#pragma unroll
    for (int K = 0; K < Tile; ++K)
#pragma unroll
      for (int P = 0; P < PerThread; ++P)
        Sum[P] += TileA[Y + P * Rows][K] * TileB[K][X];
    __syncthreads();
  }
#pragma unroll
  for (int P = 0; P < PerThread; ++P)
    C[(Row + P * Rows) * N + Column] = Sum[P];
}

__global__ void primalKernel(int N, const float *A, const float *B, float *C) { product(N, A, B, C); }
// Two blocks on a multiprocessor: 128 registers, a few of them spilled, in place of 193.
__global__ void __launch_bounds__(Tile *Rows, 2)
    gradientKernel(int N, const float *A, float *DA, const float *B, float *DB, float *C, float *DC) {
  __enzyme_autodiff((void *)product, enzyme_const, N, enzyme_dup, A, DA, enzyme_dup, B, DB, enzyme_dup, C, DC);
}
__global__ void forwardKernel(int N, const float *A, float *DA, const float *B, float *DB, float *C, float *DC) {
  __enzyme_fwddiff((void *)product, enzyme_const, N, enzyme_dup, A, DA, enzyme_dup, B, DB, enzyme_dup, C, DC);
}

} // namespace matmul

using namespace matmul;

int main(int Count, char **Words) {
  bench::Options Settings(Count, Words);
  int N = Settings.size("n", 64, 2048);
  bench::Program Program("matrix product", std::to_string(N), Settings);
  Settings.finish();
  if (N % Tile) {
    std::fprintf(stderr, "n must be a multiple of %d\n", Tile);
    return 2;
  }

  bench::Random Numbers(6);
  std::vector<float> Start(size_t(N) * N);
  auto Fill = [&] {
    for (float &X : Start)
      X = float(Numbers.uniform(-1, 1));
    return bench::upload(Start);
  };
  size_t Size = Start.size();
  float *A = Fill(), *B = Fill(), *C = bench::allocate<float>(Size);
  float *DA = bench::allocate<float>(Size), *DB = bench::allocate<float>(Size), *DC = bench::allocate<float>(Size);
  Program.field(A, DA, Size, true, false);
  Program.field(B, DB, Size, true, false);
  Program.field(C, DC, Size, false, true);
  // Bilinear: the differences have no error but rounding, whatever the step.
  Program.Step = 0.5;
  Program.Tolerance = 1e-4;
  Program.DifferencesTolerance = 1e-4;

  dim3 Grid(N / Tile, N / Tile), Block(Tile, Rows);
  Program.Threads = size_t(N / Tile) * (N / Tile) * Tile * Rows;
  Program.Primal = [=] { primalKernel<<<Grid, Block>>>(N, A, B, C); };
  Program.Gradient = [=] { gradientKernel<<<Grid, Block>>>(N, A, DA, B, DB, C, DC); };
  Program.Hand = [=] {
    hand::left<<<Grid, Block>>>(N, DA, B, DC);
    hand::right<<<Grid, Block>>>(N, A, DB, DC);
  };
  Program.kernels((const void *)primalKernel, (const void *)gradientKernel, (const void *)hand::left);
  Program.Forward = [=] { forwardKernel<<<Grid, Block>>>(N, A, DA, B, DB, C, DC); };
  return Program.run();
}
