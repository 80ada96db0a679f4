//===- Particles.cu - sums over neighbours, and their gradients by hand -----===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels in which a thread adds up what all others, or its neighbours, do to
// it: gravity in tiles of shared memory, Lennard-Jones forces by cells, the
// densities of smoothed particles by lists of neighbours; and stencils, where
// the neighbours' places are known. hand/Particles.h has a gradient by hand for
// each, compared and timed in the same run; --row=K runs one.
//
//===----------------------------------------------------------------------===//

#include "Rows.h"
#include "hand/Particles.h"

namespace particles {

/// Accelerations by gravity: a block reads Tile bodies at a time.
__device__ __forceinline__ void bodies(int N, float Softening, const float4 *__restrict__ P, float4 *__restrict__ Y) {
  __shared__ float4 Shared[Tile];
  int I = blockIdx.x * Tile + threadIdx.x;
  float4 Mine = P[I];
  float X = 0, V = 0, Z = 0;
  for (int First = 0; First < N; First += Tile) {
    Shared[threadIdx.x] = P[First + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int J = 0; J < Tile; ++J) {
      float4 Other = Shared[J];
      float A = Other.x - Mine.x, B = Other.y - Mine.y, C = Other.z - Mine.z;
      float Inverse = rsqrtf(A * A + B * B + C * C + Softening);
      float Pull = Other.w * Inverse * Inverse * Inverse;
      X += A * Pull;
      V += B * Pull;
      Z += C * Pull;
    }
    __syncthreads();
  }
  Y[I] = make_float4(X, V, Z, 0);
}

/// Lennard-Jones forces within a distance of 1: cells of that size, Side of them each way, whose particles stand together.
__device__ __forceinline__ void cells(int N, int Side, const int *__restrict__ Starts, const float4 *__restrict__ P, float4 *__restrict__ Y) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float4 Mine = P[I];
  int Cx = min(int(Mine.x), Side - 1), Cy = min(int(Mine.y), Side - 1), Cz = min(int(Mine.z), Side - 1);
  float X = 0, V = 0, Z = 0;
  for (int A = max(Cz - 1, 0); A <= min(Cz + 1, Side - 1); ++A)
    for (int B = max(Cy - 1, 0); B <= min(Cy + 1, Side - 1); ++B)
      for (int C = max(Cx - 1, 0); C <= min(Cx + 1, Side - 1); ++C) {
        int Cell = (A * Side + B) * Side + C;
        for (int J = Starts[Cell]; J < Starts[Cell + 1]; ++J) {
          float4 Other = P[J];
          float Dx = Mine.x - Other.x, Dy = Mine.y - Other.y, Dz = Mine.z - Other.z;
          float Square = Dx * Dx + Dy * Dy + Dz * Dz;
          if (J == I || Square >= 1)
            continue;
          float Inverse = 1 / (Square + 0.1f), Sixth = Inverse * Inverse * Inverse * 0.01f;
          float Force = (2 * Sixth * Sixth - Sixth) * Inverse;
          X += Force * Dx;
          V += Force * Dy;
          Z += Force * Dz;
        }
      }
  Y[I] = make_float4(X, V, Z, 0);
}

/// Densities by a cubic kernel of radius 1, over lists of neighbours.
__device__ __forceinline__ void density(int N, int Most, const int *__restrict__ Counts, const int *__restrict__ Neighbours,
                                        const float4 *__restrict__ P, float *__restrict__ Y) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float4 Mine = P[I];
  float Sum = 0;
  for (int K = 0; K < Counts[I]; ++K) {
    float4 Other = P[Neighbours[size_t(K) * N + I]];
    float A = Mine.x - Other.x, B = Mine.y - Other.y, C = Mine.z - Other.z;
    float Left = 1 - (A * A + B * B + C * C);
    if (Left > 0)
      Sum += Other.w * Left * Left * Left;
  }
  Y[I] = 1.5666814f * Sum;
}

/// A step of heat on a square, of different conductivity everywhere; the edge stays.
__device__ __forceinline__ void heat(int N, const float *__restrict__ X, const float *__restrict__ K, float *__restrict__ Y) {
  int J = blockIdx.x * blockDim.x + threadIdx.x, I = blockIdx.y * blockDim.y + threadIdx.y;
  if (I < 1 || J < 1 || I >= N - 1 || J >= N - 1)
    return;
  int At = I * N + J;
  Y[At] = X[At] + K[At] * (X[At - 1] + X[At + 1] + X[At - N] + X[At + N] - 4 * X[At]);
}

/// A step of a wave in a box by six neighbours, in place: what is two steps back is overwritten.
__device__ __forceinline__ void wave(int N, float Speed, const float *__restrict__ X, float *__restrict__ Y) {
  int K = blockIdx.x * blockDim.x + threadIdx.x, J = blockIdx.y * blockDim.y + threadIdx.y, I = blockIdx.z;
  if (I < 1 || J < 1 || K < 1 || I >= N - 1 || J >= N - 1 || K >= N - 1)
    return;
  int At = (I * N + J) * N + K;
  Y[At] = 2 * X[At] - Y[At] + Speed * (X[At - 1] + X[At + 1] + X[At - N] + X[At + N] + X[At - N * N] + X[At + N * N] - 6 * X[At]);
}

#define IN4(X) const float4 *__restrict__ X
#define IN8(X) const float4 *__restrict__ X, float4 *__restrict__ D##X
#define TO4(X) float4 *__restrict__ X
#define TO8(X) float4 *__restrict__ X, float4 *__restrict__ D##X

KERNELS(bodies, (int N, float S, IN4(P), TO4(Y)), (int N, float S, IN8(P), TO8(Y)), (N, S, P, Y), MANY(CONST(N), CONST(S), DUP(P)))
KERNELS(cells, (int N, int S, const int *B, IN4(P), TO4(Y)), (int N, int S, const int *B, IN8(P), TO8(Y)), (N, S, B, P, Y),
        MANY(CONST(N), CONST(S), CONST(B), DUP(P)))
KERNELS(density, (int N, int M, const int *C, const int *L, IN4(P), TO(Y)), (int N, int M, const int *C, const int *L, IN8(P), TO2(Y)), (N, M, C, L, P, Y),
        MANY(CONST(N), CONST(M), CONST(C), CONST(L), DUP(P)))
KERNELS(heat, (int N, IN(X), IN(K), TO(Y)), (int N, IN2(X), IN2(K), TO2(Y)), (N, X, K, Y), MANY(CONST(N), DUP(X), DUP(K)))

/// In place: the adjoint of what is overwritten takes its place.
__global__ void wavePrimal(int N, float S, IN(X), TO(Y)) { wave(N, S, X, Y); }
__global__ void waveGradient(int N, float S, IN2(X), TO2(Y)) { __enzyme_autodiff((void *)wave, CONST(N), CONST(S), DUP(X), enzyme_dupnoneed, Y, DY); }
__global__ void waveForward(int N, float S, IN2(X), TO2(Y)) { __enzyme_fwddiff((void *)wave, CONST(N), CONST(S), DUP(X), enzyme_dupnoneed, Y, DY); }

} // namespace particles

using namespace particles;

namespace {

bench::Pair ofFours(const std::vector<float4> &Start) {
  std::vector<float> Flat(reinterpret_cast<const float *>(Start.data()), reinterpret_cast<const float *>(Start.data() + Start.size()));
  return bench::Rows::input(Flat);
}
float4 *fours(float *X) { return reinterpret_cast<float4 *>(X); }

} // namespace

int main(int Count, char **Words) {
  bench::Options Given(Count, Words);
  bench::Rows Table(Given);
  int Bodies = Given.size("bodies", 2, 128) * Tile, Side = Given.size("side", 3, 48), Each = Given.size("each", 5, 8);
  int Edge = Given.size("edge", 21, 8192), Box = Given.size("box", 9, 384);
  // What the constructors of the programs ask for.
  { bench::Program Known("", "", Given); }
  Given.finish();

  if (Table.wanted()) {
    bench::Program P("gravity", bench::by(Bodies, Bodies), Given);
    bench::Pair X = Table.input(4 * size_t(Bodies)), Y = Table.output(4 * size_t(Bodies));
    int Blocks = Bodies / Tile;
    P.Primal = [=] { bodiesPrimal<<<Blocks, Tile>>>(Bodies, 0.05f, fours(X.X), fours(Y.X)); };
    P.Gradient = [=] { bodiesGradient<<<Blocks, Tile>>>(Bodies, 0.05f, fours(X.X), fours(X.D), fours(Y.X), fours(Y.D)); };
    P.Forward = [=] { bodiesForward<<<Blocks, Tile>>>(Bodies, 0.05f, fours(X.X), fours(X.D), fours(Y.X), fours(Y.D)); };
    P.Hand = [=] { hand::bodies<<<Blocks, Tile>>>(Bodies, 0.05f, fours(X.X), fours(X.D), fours(Y.D)); };
    KERNEL_OF(bodies);
    Table.Step = 1e-3;
    Table.finish(P, {X}, Y);
  }

  // Particles in the order of their cells.
  int Cells = Side * Side * Side, N = Cells * Each;
  std::vector<int> Starts(1, 0);
  std::vector<float4> Places;
  for (int Z = 0; Z < Side; ++Z)
    for (int V = 0; V < Side; ++V)
      for (int U = 0; U < Side; ++U) {
        for (int I = 0; I < Each; ++I)
          Places.push_back(make_float4(U + float(Table.uniform(0.01, 0.99)), V + float(Table.uniform(0.01, 0.99)), Z + float(Table.uniform(0.01, 0.99)),
                                       float(Table.uniform(0.5, 1))));
        Starts.push_back(int(Places.size()));
      }
  int Blocks = (N + 127) / 128;
  if (Table.wanted()) {
    bench::Program P("forces by cells", std::to_string(N), Given);
    int *From = bench::upload(Starts);
    bench::Pair X = ofFours(Places), Y = Table.output(4 * size_t(N));
    P.Primal = [=] { cellsPrimal<<<Blocks, 128>>>(N, Side, From, fours(X.X), fours(Y.X)); };
    P.Gradient = [=] { cellsGradient<<<Blocks, 128>>>(N, Side, From, fours(X.X), fours(X.D), fours(Y.X), fours(Y.D)); };
    P.Forward = [=] { cellsForward<<<Blocks, 128>>>(N, Side, From, fours(X.X), fours(X.D), fours(Y.X), fours(Y.D)); };
    P.Hand = [=] { hand::cells<<<Blocks, 128>>>(N, Side, From, fours(X.X), fours(X.D), fours(Y.D)); };
    KERNEL_OF(cells);
    Table.Step = 1e-3;
    Table.DifferencesTolerance = 5e-2;
    Table.finish(P, {X}, Y);
    cudaFree(From);
  }
  if (Table.wanted()) {
    bench::Program P("densities by neighbours", std::to_string(N), Given);
    // Lists by place in the list, so that neighbouring threads read neighbouring numbers; each pair is in both lists.
    int Most = 96;
    std::vector<int> Counts(N), Lists(size_t(Most) * N);
    for (int I = 0; I < N; ++I) {
      float4 Mine = Places[I];
      for (int Z = std::max(int(Mine.z) - 1, 0); Z <= std::min(int(Mine.z) + 1, Side - 1); ++Z)
        for (int V = std::max(int(Mine.y) - 1, 0); V <= std::min(int(Mine.y) + 1, Side - 1); ++V)
          for (int U = std::max(int(Mine.x) - 1, 0); U <= std::min(int(Mine.x) + 1, Side - 1); ++U)
            for (int J = Starts[(Z * Side + V) * Side + U]; J < Starts[(Z * Side + V) * Side + U + 1]; ++J) {
              float A = Places[J].x - Mine.x, B = Places[J].y - Mine.y, C = Places[J].z - Mine.z;
              // A little farther than what counts, as lists are that are kept for some steps.
              if (A * A + B * B + C * C < 1.1f && Counts[I] < Most)
                Lists[size_t(Counts[I]++) * N + I] = J;
            }
    }
    int *Have = bench::upload(Counts), *Near = bench::upload(Lists);
    bench::Pair X = ofFours(Places), Y = Table.output(N);
    P.Primal = [=] { densityPrimal<<<Blocks, 128>>>(N, Most, Have, Near, fours(X.X), Y.X); };
    P.Gradient = [=] { densityGradient<<<Blocks, 128>>>(N, Most, Have, Near, fours(X.X), fours(X.D), Y.X, Y.D); };
    P.Forward = [=] { densityForward<<<Blocks, 128>>>(N, Most, Have, Near, fours(X.X), fours(X.D), Y.X, Y.D); };
    P.Hand = [=] { hand::density<<<Blocks, 128>>>(N, Have, Near, fours(X.X), fours(X.D), Y.D); };
    KERNEL_OF(density);
    Table.Step = 1e-3;
    Table.finish(P, {X}, Y);
    cudaFree(Have), cudaFree(Near);
  }
  Table.Step = 2e-2;
  Table.DifferencesTolerance = 2e-2;
  if (Table.wanted()) {
    bench::Program P("heat", bench::by(Edge, Edge), Given);
    size_t Size = size_t(Edge) * Edge;
    bench::Pair X = Table.input(Size), K = Table.input(Size, 0, 0.25), Y = Table.output(Size);
    dim3 Threads(32, 8), Tiles((Edge + 31) / 32, (Edge + 7) / 8);
    P.Primal = [=] { heatPrimal<<<Tiles, Threads>>>(Edge, X.X, K.X, Y.X); };
    P.Gradient = [=] { heatGradient<<<Tiles, Threads>>>(Edge, X.X, X.D, K.X, K.D, Y.X, Y.D); };
    P.Forward = [=] { heatForward<<<Tiles, Threads>>>(Edge, X.X, X.D, K.X, K.D, Y.X, Y.D); };
    P.Hand = [=] { hand::heat<<<Tiles, Threads>>>(Edge, X.X, X.D, K.X, K.D, Y.D); };
    KERNEL_OF(heat);
    Table.finish(P, {X, K}, Y);
  }
  if (Table.wanted()) {
    bench::Program P("wave, in place", bench::by(size_t(Box) * Box, Box), Given);
    size_t Size = size_t(Box) * Box * Box;
    bench::Pair X = Table.input(Size), Y = Table.input(Size);
    dim3 Threads(32, 4), Tiles((Box + 31) / 32, (Box + 3) / 4, Box);
    P.Primal = [=] { wavePrimal<<<Tiles, Threads>>>(Box, 0.1f, X.X, Y.X); };
    P.Gradient = [=] { waveGradient<<<Tiles, Threads>>>(Box, 0.1f, X.X, X.D, Y.X, Y.D); };
    P.Forward = [=] { waveForward<<<Tiles, Threads>>>(Box, 0.1f, X.X, X.D, Y.X, Y.D); };
    P.Hand = [=] {
      hand::waveGather<<<Tiles, Threads>>>(Box, 0.1f, X.D, Y.D);
      hand::waveTurn<<<Tiles, Threads>>>(Box, Y.D);
    };
    P.kernels((const void *)wavePrimal, (const void *)waveGradient, (const void *)hand::waveGather);
    Table.finish(P, {X}, Y, true);
  }
  return Table.Status;
}
