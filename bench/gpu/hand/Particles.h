//===- Particles.h - gradients by hand of Particles.cu -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each adds to the inputs' adjoints (D before the input's name) what the
// outputs' (DY) give. A thread adds up what its particle does to others and
// others do to it: each pair is looked at from both sides, and nothing is
// added atomically.
//
//===----------------------------------------------------------------------===//

#ifndef BENCH_GPU_HAND_PARTICLES_H
#define BENCH_GPU_HAND_PARTICLES_H

namespace particles {

constexpr int Tile = 128;

namespace hand {

__global__ void bodies(int N, float Softening, const float4 *__restrict__ P,
                       float4 *__restrict__ DP, const float4 *__restrict__ DY) {
  __shared__ float4 Places[Tile], Seeds[Tile];
  int I = blockIdx.x * Tile + threadIdx.x;
  float4 Mine = P[I], Seed = DY[I];
  float X = 0, V = 0, Z = 0, W = 0;
  for (int First = 0; First < N; First += Tile) {
    Places[threadIdx.x] = P[First + threadIdx.x];
    Seeds[threadIdx.x] = DY[First + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int J = 0; J < Tile; ++J) {
      float4 Other = Places[J], Theirs = Seeds[J];
      float A = Other.x - Mine.x, B = Other.y - Mine.y, C = Other.z - Mine.z;
      float Inverse = rsqrtf(A * A + B * B + C * C + Softening);
      float Cube = Inverse * Inverse * Inverse;
      // What both pulls give, as if it were one: the other's has the opposite
      // direction and my mass.
      float Sx = Other.w * Seed.x - Mine.w * Theirs.x,
            Sy = Other.w * Seed.y - Mine.w * Theirs.y,
            Sz = Other.w * Seed.z - Mine.w * Theirs.z;
      float Along = 3 * Inverse * Inverse * Cube * (A * Sx + B * Sy + C * Sz);
      X += A * Along - Cube * Sx;
      V += B * Along - Cube * Sy;
      Z += C * Along - Cube * Sz;
      W -= Cube * (A * Theirs.x + B * Theirs.y + C * Theirs.z);
    }
    __syncthreads();
  }
  float4 Sum = DP[I];
  DP[I] = make_float4(Sum.x + X, Sum.y + V, Sum.z + Z, Sum.w + W);
}

__global__ void cells(int N, int Side, const int *__restrict__ Starts,
                      const float4 *__restrict__ P, float4 *__restrict__ DP,
                      const float4 *__restrict__ DY) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float4 Mine = P[I], Seed = DY[I];
  int Cx = min(int(Mine.x), Side - 1), Cy = min(int(Mine.y), Side - 1),
      Cz = min(int(Mine.z), Side - 1);
  float X = 0, V = 0, Z = 0;
  for (int A = max(Cz - 1, 0); A <= min(Cz + 1, Side - 1); ++A)
    for (int B = max(Cy - 1, 0); B <= min(Cy + 1, Side - 1); ++B)
      for (int C = max(Cx - 1, 0); C <= min(Cx + 1, Side - 1); ++C) {
        int Cell = (A * Side + B) * Side + C;
        for (int J = Starts[Cell]; J < Starts[Cell + 1]; ++J) {
          float4 Other = P[J];
          float Dx = Mine.x - Other.x, Dy = Mine.y - Other.y,
                Dz = Mine.z - Other.z;
          float Square = Dx * Dx + Dy * Dy + Dz * Dz;
          if (J == I || Square >= 1)
            continue;
          float4 Theirs = DY[J];
          float Inverse = 1 / (Square + 0.1f),
                Sixth = Inverse * Inverse * Inverse * 0.01f;
          float Force = (2 * Sixth * Sixth - Sixth) * Inverse;
          float Slope = (-14 * Sixth + 4) * Sixth * Inverse * Inverse;
          float Sx = Seed.x - Theirs.x, Sy = Seed.y - Theirs.y,
                Sz = Seed.z - Theirs.z;
          float Along = 2 * Slope * (Dx * Sx + Dy * Sy + Dz * Sz);
          X += Force * Sx + Along * Dx;
          V += Force * Sy + Along * Dy;
          Z += Force * Sz + Along * Dz;
        }
      }
  float4 Sum = DP[I];
  DP[I] = make_float4(Sum.x + X, Sum.y + V, Sum.z + Z, Sum.w);
}

__global__ void density(int N, const int *__restrict__ Counts,
                        const int *__restrict__ Neighbours,
                        const float4 *__restrict__ P, float4 *__restrict__ DP,
                        const float *__restrict__ DY) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float4 Mine = P[I];
  float Seed = DY[I], X = 0, V = 0, Z = 0, W = 0;
  for (int K = 0; K < Counts[I]; ++K) {
    int J = Neighbours[size_t(K) * N + I];
    float4 Other = P[J];
    float A = Mine.x - Other.x, B = Mine.y - Other.y, C = Mine.z - Other.z;
    float Left = 1 - (A * A + B * B + C * C);
    if (Left > 0) {
      float Theirs = DY[J];
      float Share = -6 * Left * Left * (Seed * Other.w + Theirs * Mine.w);
      X += Share * A;
      V += Share * B;
      Z += Share * C;
      W += Theirs * Left * Left * Left;
    }
  }
  float4 Sum = DP[I];
  DP[I] = make_float4(Sum.x + 1.5666814f * X, Sum.y + 1.5666814f * V,
                      Sum.z + 1.5666814f * Z, Sum.w + 1.5666814f * W);
}

__global__ void heat(int N, const float *__restrict__ X, float *__restrict__ DX,
                     const float *__restrict__ K, float *__restrict__ DK,
                     const float *__restrict__ DY) {
  int J = blockIdx.x * blockDim.x + threadIdx.x,
      I = blockIdx.y * blockDim.y + threadIdx.y;
  if (I >= N || J >= N)
    return;
  int At = I * N + J;
  bool InI = I >= 1 && I < N - 1, InJ = J >= 1 && J < N - 1;
  float Sum = 0;
  if (InI && InJ) {
    Sum = DY[At] * (1 - 4 * K[At]);
    DK[At] +=
        DY[At] * (X[At - 1] + X[At + 1] + X[At - N] + X[At + N] - 4 * X[At]);
  }
  if (InI && J >= 2)
    Sum += DY[At - 1] * K[At - 1];
  if (InI && J < N - 2)
    Sum += DY[At + 1] * K[At + 1];
  if (InJ && I >= 2)
    Sum += DY[At - N] * K[At - N];
  if (InJ && I < N - 2)
    Sum += DY[At + N] * K[At + N];
  DX[At] += Sum;
}

__global__ void waveGather(int N, float Speed, float *__restrict__ DX,
                           const float *__restrict__ DY) {
  int K = blockIdx.x * blockDim.x + threadIdx.x,
      J = blockIdx.y * blockDim.y + threadIdx.y, I = blockIdx.z;
  if (I >= N || J >= N || K >= N)
    return;
  int At = (I * N + J) * N + K;
  bool InI = I >= 1 && I < N - 1, InJ = J >= 1 && J < N - 1,
       InK = K >= 1 && K < N - 1;
  float Sum = InI && InJ && InK ? (2 - 6 * Speed) * DY[At] : 0;
  if (InI && InJ) {
    Sum += K >= 2 ? Speed * DY[At - 1] : 0;
    Sum += K < N - 2 ? Speed * DY[At + 1] : 0;
  }
  if (InI && InK) {
    Sum += J >= 2 ? Speed * DY[At - N] : 0;
    Sum += J < N - 2 ? Speed * DY[At + N] : 0;
  }
  if (InJ && InK) {
    Sum += I >= 2 ? Speed * DY[At - N * N] : 0;
    Sum += I < N - 2 ? Speed * DY[At + N * N] : 0;
  }
  DX[At] += Sum;
}
/// The adjoint of what was overwritten, behind waveGather.
__global__ void waveTurn(int N, float *__restrict__ DY) {
  int K = blockIdx.x * blockDim.x + threadIdx.x,
      J = blockIdx.y * blockDim.y + threadIdx.y, I = blockIdx.z;
  if (I < 1 || J < 1 || K < 1 || I >= N - 1 || J >= N - 1 || K >= N - 1)
    return;
  int At = (I * N + J) * N + K;
  DY[At] = -DY[At];
}

} // namespace hand
} // namespace particles

#endif
