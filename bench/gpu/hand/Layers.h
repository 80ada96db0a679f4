//===- Layers.h - gradients by hand of the kernels in Layers.cu -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each adds to the inputs' adjoints (D before the input's name) what the
// outputs' (DY) give. DY stays as it is.
//
//===----------------------------------------------------------------------===//

#ifndef BENCH_GPU_HAND_LAYERS_H
#define BENCH_GPU_HAND_LAYERS_H

namespace layers {
namespace hand {

__device__ inline float sum32(float X) {
#pragma unroll
  for (int Lane = 16; Lane; Lane /= 2)
    X += __shfl_xor_sync(0xffffffffu, X, Lane);
  return X;
}
__device__ inline float max32(float X) {
#pragma unroll
  for (int Lane = 16; Lane; Lane /= 2)
    X = fmaxf(X, __shfl_xor_sync(0xffffffffu, X, Lane));
  return X;
}

/// 8 warps take 32 rows; the weights' adjoints are added up in shared memory
/// first.
__global__ void layerNorm(int Rows, int C, const float *__restrict__ X,
                          float *__restrict__ DX, const float *__restrict__ W,
                          float *__restrict__ DW, float *__restrict__ DB,
                          const float *__restrict__ DY) {
  extern __shared__ float Sums[];
  float *SumW = Sums, *SumB = Sums + C;
  for (int I = threadIdx.x; I < 2 * C; I += blockDim.x)
    Sums[I] = 0;
  __syncthreads();
  int Lane = threadIdx.x % 32, Last = min(Rows, (int(blockIdx.x) + 1) * 32);
  for (int Row = blockIdx.x * 32 + threadIdx.x / 32; Row < Last; Row += 8) {
    const float *Mine = X + size_t(Row) * C, *Seed = DY + size_t(Row) * C;
    float Sum = 0;
    for (int I = Lane; I < C; I += 32)
      Sum += Mine[I];
    float Mean = sum32(Sum) / C, Squares = 0;
    for (int I = Lane; I < C; I += 32)
      Squares += (Mine[I] - Mean) * (Mine[I] - Mean);
    float Scale = rsqrtf(sum32(Squares) / C + 1e-5f);
    float Of = 0, OfNorm = 0;
    for (int I = Lane; I < C; I += 32) {
      float D = Seed[I], Norm = (Mine[I] - Mean) * Scale;
      Of += D * W[I];
      OfNorm += D * W[I] * Norm;
      atomicAdd(&SumW[I], D * Norm);
      atomicAdd(&SumB[I], D);
    }
    Of = sum32(Of) / C;
    OfNorm = sum32(OfNorm) / C;
    for (int I = Lane; I < C; I += 32) {
      float Norm = (Mine[I] - Mean) * Scale;
      DX[size_t(Row) * C + I] += (Seed[I] * W[I] - Of - Norm * OfNorm) * Scale;
    }
  }
  __syncthreads();
  for (int I = threadIdx.x; I < C; I += blockDim.x) {
    atomicAdd(&DW[I], SumW[I]);
    atomicAdd(&DB[I], SumB[I]);
  }
}

__global__ void rmsNorm(int Rows, int C, const float *__restrict__ X,
                        float *__restrict__ DX, const float *__restrict__ W,
                        float *__restrict__ DW, const float *__restrict__ DY) {
  extern __shared__ float Sums[];
  for (int I = threadIdx.x; I < C; I += blockDim.x)
    Sums[I] = 0;
  __syncthreads();
  int Lane = threadIdx.x % 32, Last = min(Rows, (int(blockIdx.x) + 1) * 32);
  for (int Row = blockIdx.x * 32 + threadIdx.x / 32; Row < Last; Row += 8) {
    const float *Mine = X + size_t(Row) * C, *Seed = DY + size_t(Row) * C;
    float Squares = 0, Dot = 0;
    for (int I = Lane; I < C; I += 32) {
      Squares += Mine[I] * Mine[I];
      Dot += Seed[I] * W[I] * Mine[I];
    }
    float Scale = rsqrtf(sum32(Squares) / C + 1e-6f);
    Dot = sum32(Dot) / C * Scale * Scale * Scale;
    for (int I = Lane; I < C; I += 32) {
      DX[size_t(Row) * C + I] += Seed[I] * W[I] * Scale - Mine[I] * Dot;
      atomicAdd(&Sums[I], Seed[I] * Mine[I] * Scale);
    }
  }
  __syncthreads();
  for (int I = threadIdx.x; I < C; I += blockDim.x)
    atomicAdd(&DW[I], Sums[I]);
}

__global__ void softmax(int Rows, int C, const float *__restrict__ X,
                        float *__restrict__ DX, const float *__restrict__ DY) {
  int Row = (blockIdx.x * blockDim.x + threadIdx.x) / 32,
      Lane = threadIdx.x % 32;
  if (Row >= Rows)
    return;
  const float *Mine = X + size_t(Row) * C, *Seed = DY + size_t(Row) * C;
  float Largest = -INFINITY;
  for (int I = Lane; I < C; I += 32)
    Largest = fmaxf(Largest, Mine[I]);
  Largest = max32(Largest);
  float Sum = 0, Dot = 0;
  for (int I = Lane; I < C; I += 32) {
    float E = expf(Mine[I] - Largest);
    Sum += E;
    Dot += E * Seed[I];
  }
  float Share = 1 / sum32(Sum);
  Dot = sum32(Dot) * Share;
  for (int I = Lane; I < C; I += 32)
    DX[size_t(Row) * C + I] +=
        expf(Mine[I] - Largest) * Share * (Seed[I] - Dot);
}

__global__ void crossEntropy(int Rows, int C, const float *__restrict__ X,
                             float *__restrict__ DX,
                             const int *__restrict__ Target,
                             const float *__restrict__ DY) {
  int Row = (blockIdx.x * blockDim.x + threadIdx.x) / 32,
      Lane = threadIdx.x % 32;
  if (Row >= Rows)
    return;
  const float *Mine = X + size_t(Row) * C;
  float Largest = -INFINITY;
  for (int I = Lane; I < C; I += 32)
    Largest = fmaxf(Largest, Mine[I]);
  Largest = max32(Largest);
  float Sum = 0;
  for (int I = Lane; I < C; I += 32)
    Sum += expf(Mine[I] - Largest);
  float Seed = DY[Row], Share = Seed / sum32(Sum);
  for (int I = Lane; I < C; I += 32)
    DX[size_t(Row) * C + I] +=
        expf(Mine[I] - Largest) * Share - (I == Target[Row] ? Seed : 0);
}

__global__ void gelu(int N, const float *__restrict__ X, float *__restrict__ DX,
                     const float *__restrict__ DY) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float V = X[I], T = tanhf(0.7978845608f * (V + 0.044715f * V * V * V));
  DX[I] += DY[I] * (0.5f * (1 + T) + 0.5f * V * (1 - T * T) * 0.7978845608f *
                                         (1 + 3 * 0.044715f * V * V));
}

__global__ void swiGlu(int N, const float *__restrict__ A,
                       float *__restrict__ DA, const float *__restrict__ B,
                       float *__restrict__ DB, const float *__restrict__ DY) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float V = A[I], D = DY[I], S = 1 / (1 + expf(-V));
  DA[I] += D * B[I] * S * (1 + V * (1 - S));
  DB[I] += D * V * S;
}

__global__ void embed(int Rows, int C, int Length,
                      const int *__restrict__ Tokens,
                      float *__restrict__ DWords, float *__restrict__ DPlaces,
                      const float *__restrict__ DY) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Rows * C)
    return;
  int Row = I / C, At = I % C;
  atomicAdd(&DWords[size_t(Tokens[Row]) * C + At], DY[I]);
  atomicAdd(&DPlaces[(Row % Length) * C + At], DY[I]);
}

/// Keeps the states at the start of every 32 steps, and runs those steps again.
__global__ void scan(int Length, int Channels, const float *__restrict__ X,
                     float *__restrict__ DX, const float *__restrict__ Step,
                     float *__restrict__ DStep, const float *__restrict__ A,
                     float *__restrict__ DA, const float *__restrict__ B,
                     float *__restrict__ DB, const float *__restrict__ C,
                     float *__restrict__ DC, const float *__restrict__ DY) {
  constexpr int State = 8, Chunk = 32, Most = 64;
  int D = blockIdx.x * blockDim.x + threadIdx.x, Batch = blockIdx.y;
  float Kept[Most][State], H[State] = {}, Rate[State], DRate[State] = {},
                           DH[State] = {};
  for (int N = 0; N < State; ++N)
    Rate[N] = A[D * State + N];
  for (int T = 0; T < Length; ++T) {
    if (T % Chunk == 0)
      for (int N = 0; N < State; ++N)
        Kept[T / Chunk][N] = H[N];
    size_t At = (size_t(Batch) * Length + T) * Channels + D;
    for (int N = 0; N < State; ++N)
      H[N] = expf(Step[At] * Rate[N]) * H[N] +
             Step[At] * B[(Batch * Length + T) * State + N] * X[At];
  }
  for (int First = (Length - 1) / Chunk * Chunk; First >= 0; First -= Chunk) {
    float States[Chunk + 1][State];
    int Count = min(Chunk, Length - First);
    for (int N = 0; N < State; ++N)
      States[0][N] = Kept[First / Chunk][N];
    for (int I = 0; I < Count; ++I) {
      size_t At = (size_t(Batch) * Length + First + I) * Channels + D;
      for (int N = 0; N < State; ++N)
        States[I + 1][N] =
            expf(Step[At] * Rate[N]) * States[I][N] +
            Step[At] * B[(Batch * Length + First + I) * State + N] * X[At];
    }
    for (int I = Count - 1; I >= 0; --I) {
      size_t Place = size_t(Batch) * Length + First + I,
             At = Place * Channels + D;
      float Dt = Step[At], In = X[At], Seed = DY[At], DIn = 0, DDt = 0;
      for (int N = 0; N < State; ++N) {
        float Bn = B[Place * State + N], Decay = expf(Dt * Rate[N]);
        DH[N] += Seed * C[Place * State + N];
        float OfC = sum32(Seed * States[I + 1][N]),
              OfB = sum32(DH[N] * Dt * In);
        if (threadIdx.x % 32 == 0) {
          atomicAdd(&DC[Place * State + N], OfC);
          atomicAdd(&DB[Place * State + N], OfB);
        }
        float OfExponent = DH[N] * States[I][N] * Decay;
        DIn += DH[N] * Dt * Bn;
        DDt += DH[N] * Bn * In + OfExponent * Rate[N];
        DRate[N] += OfExponent * Dt;
        DH[N] *= Decay;
      }
      DX[At] += DIn;
      DStep[At] += DDt;
    }
  }
  for (int N = 0; N < State; ++N)
    atomicAdd(&DA[D * State + N], DRate[N]);
}

/// Gathers for the inputs; sums over warps for the weights.
__global__ void depthwise(int Height, int Width, const float *__restrict__ X,
                          float *__restrict__ DX, const float *__restrict__ W,
                          float *__restrict__ DW,
                          const float *__restrict__ DY) {
  __shared__ float Sums[9];
  int J = blockIdx.x * blockDim.x + threadIdx.x,
      I = blockIdx.y * blockDim.y + threadIdx.y, Plane = blockIdx.z;
  int Thread = threadIdx.y * blockDim.x + threadIdx.x, Filter = Plane % 64 * 9;
  if (Thread < 9)
    Sums[Thread] = 0;
  __syncthreads();
  size_t Base = size_t(Plane) * Height * Width;
  bool Inside = I < Height && J < Width;
  float Of = 0, Seed = Inside ? DY[Base + I * Width + J] : 0;
#pragma unroll
  for (int A = -1; A <= 1; ++A)
#pragma unroll
    for (int B = -1; B <= 1; ++B) {
      int K = (A + 1) * 3 + B + 1;
      bool To =
          Inside && I - A >= 0 && I - A < Height && J - B >= 0 && J - B < Width;
      bool From =
          Inside && I + A >= 0 && I + A < Height && J + B >= 0 && J + B < Width;
      Of += To ? W[Filter + K] * DY[Base + (I - A) * Width + J - B] : 0;
      float Share = sum32(From ? Seed * X[Base + (I + A) * Width + J + B] : 0);
      if (Thread % 32 == 0)
        atomicAdd(&Sums[K], Share);
    }
  if (Inside)
    DX[Base + I * Width + J] += Of;
  __syncthreads();
  if (Thread < 9)
    atomicAdd(&DW[Filter + Thread], Sums[Thread]);
}

__global__ void convolve(int Channels, int Height, int Width,
                         float *__restrict__ DX, const float *__restrict__ W,
                         const float *__restrict__ DY) {
  int Pixel = blockIdx.x * blockDim.x + threadIdx.x, In = blockIdx.y,
      Batch = blockIdx.z, H = Height - 2, V = Width - 2;
  if (Pixel >= Height * Width)
    return;
  int I = Pixel / Width, J = Pixel % Width;
  float Sum = 0;
  for (int Out = 0; Out < Channels; ++Out)
#pragma unroll
    for (int A = 0; A < 3; ++A)
#pragma unroll
      for (int B = 0; B < 3; ++B)
        if (I - A >= 0 && I - A < H && J - B >= 0 && J - B < V)
          Sum += W[((Out * Channels + In) * 3 + A) * 3 + B] *
                 DY[((size_t(Batch) * Channels + Out) * H + I - A) * V + J - B];
  DX[(size_t(Batch) * Channels + In) * Height * Width + Pixel] += Sum;
}
/// A block for each pair of channels and image.
__global__ void convolveWeights(int Channels, int Height, int Width,
                                const float *__restrict__ X,
                                float *__restrict__ DW,
                                const float *__restrict__ DY) {
  int Out = blockIdx.x, In = blockIdx.y, Batch = blockIdx.z, H = Height - 2,
      V = Width - 2;
  float Sums[9] = {};
  for (int Pixel = threadIdx.x; Pixel < H * V; Pixel += blockDim.x) {
    float Seed = DY[(size_t(Batch) * Channels + Out) * H * V + Pixel];
    const float *At =
        X + ((size_t(Batch) * Channels + In) * Height + Pixel / V) * Width +
        Pixel % V;
#pragma unroll
    for (int K = 0; K < 9; ++K)
      Sums[K] += Seed * At[K / 3 * Width + K % 3];
  }
#pragma unroll
  for (int K = 0; K < 9; ++K) {
    float Sum = sum32(Sums[K]);
    if (threadIdx.x % 32 == 0)
      atomicAdd(&DW[(Out * Channels + In) * 9 + K], Sum);
  }
}

/// Two passes from front to back: the first finds the sum of all, what is
/// behind a sample is that less what is in front.
__global__ void
composite(int Rays, float Opaque, const int *__restrict__ Starts,
          const float *__restrict__ Sigma, float *__restrict__ DSigma,
          const float *__restrict__ Colour, float *__restrict__ DColour,
          const float *__restrict__ Step, const float *__restrict__ DY) {
  int Ray = blockIdx.x * blockDim.x + threadIdx.x;
  if (Ray >= Rays)
    return;
  float R = DY[3 * Ray], G = DY[3 * Ray + 1], B = DY[3 * Ray + 2];
  float Through = 1, Behind = 0;
  for (int S = Starts[Ray]; S < Starts[Ray + 1]; ++S) {
    float Left = expf(-Sigma[S] * Step[S]);
    Behind +=
        (1 - Left) * Through *
        (R * Colour[3 * S] + G * Colour[3 * S + 1] + B * Colour[3 * S + 2]);
    Through *= Left;
    if (Through < Opaque)
      break;
  }
  Through = 1;
  for (int S = Starts[Ray]; S < Starts[Ray + 1]; ++S) {
    float Left = expf(-Sigma[S] * Step[S]), Share = (1 - Left) * Through;
    float Here =
        R * Colour[3 * S] + G * Colour[3 * S + 1] + B * Colour[3 * S + 2];
    Behind -= Share * Here;
    DColour[3 * S] += Share * R;
    DColour[3 * S + 1] += Share * G;
    DColour[3 * S + 2] += Share * B;
    Through *= Left;
    DSigma[S] += Step[S] * (Through * Here - Behind);
    if (Through < Opaque)
      break;
  }
}

} // namespace hand
} // namespace layers

#endif
