//===- Gather.h - gradients by hand of the kernels in Gather.cu -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each adds to the inputs' adjoints (D before the input's name) what the
// outputs' (DY) give. DY stays as it is. What is scattered is added atomically;
// what one thread alone adds to is summed up first.
//
//===----------------------------------------------------------------------===//

#ifndef BENCH_GPU_HAND_GATHER_H
#define BENCH_GPU_HAND_GATHER_H

namespace gather {

/// Where a corner of a level's grid lies in its table: in order where the grid
/// fits, by a hash of the three places elsewhere.
__device__ __forceinline__ unsigned slotOf(const unsigned *Place, unsigned Side,
                                           unsigned Slots) {
  if (Side * Side * Side <= Slots)
    return (Place[0] + Side * (Place[1] + Side * Place[2])) % Slots;
  return (Place[0] ^ Place[1] * 2654435761u ^ Place[2] * 805459861u) % Slots;
}

namespace hand {

/// Two neighbouring numbers at once. Clang's atomicAdd of a float2 is assembly
/// that it takes away where the result is not used.
__device__ __forceinline__ void addTwo(float *Place, float First,
                                       float Second) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 &&                          \
    !defined(RETROGRAD_CUDA_ON_CPU)
  asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" ::"l"(Place), "f"(First),
               "f"(Second)
               : "memory");
#else
  atomicAdd(Place, First);
  atomicAdd(Place + 1, Second);
#endif
}

/// A level's cell of a point: its lower corner, and where in it the point lies.
struct Cell {
  float Scale, Part[3];
  unsigned Side, At[3];

  __device__ Cell(int Level, float Base, float Growth, const float *Point) {
    Scale = Base * exp2f(Level * Growth) - 1.0f;
    Side = unsigned(ceilf(Scale)) + 1;
    for (int D = 0; D < 3; ++D) {
      float X = Point[D] * Scale + 0.5f, Floor = floorf(X);
      At[D] = unsigned(Floor);
      Part[D] = X - Floor;
    }
  }
};

__global__ void hashGridTable(int Points, int Slots, float Base, float Growth,
                              const float *__restrict__ P,
                              float *__restrict__ DT,
                              const float *__restrict__ DY) {
  int I = blockIdx.x * blockDim.x + threadIdx.x, Level = blockIdx.y;
  if (I >= Points)
    return;
  Cell Of(Level, Base, Growth, P + 3 * I);
  size_t Out = (size_t(Level) * Points + I) * 2;
  float First = DY[Out], Second = DY[Out + 1];
#pragma unroll
  for (unsigned Corner = 0; Corner < 8; ++Corner) {
    float Weight = 1;
    unsigned Place[3];
#pragma unroll
    for (int D = 0; D < 3; ++D) {
      bool Upper = Corner >> D & 1;
      Weight *= Upper ? Of.Part[D] : 1 - Of.Part[D];
      Place[D] = Of.At[D] + Upper;
    }
    size_t Slot = (size_t(Level) * Slots + slotOf(Place, Of.Side, Slots)) * 2;
    addTwo(DT + Slot, Weight * First, Weight * Second);
  }
}

__global__ void hashGrid(int Points, int Slots, float Base, float Growth,
                         const float *__restrict__ P, float *__restrict__ DP,
                         const float *__restrict__ T, float *__restrict__ DT,
                         const float *__restrict__ DY) {
  int I = blockIdx.x * blockDim.x + threadIdx.x, Level = blockIdx.y;
  if (I >= Points)
    return;
  Cell Of(Level, Base, Growth, P + 3 * I);
  size_t Out = (size_t(Level) * Points + I) * 2;
  float First = DY[Out], Second = DY[Out + 1], Sum[3] = {};
#pragma unroll
  for (unsigned Corner = 0; Corner < 8; ++Corner) {
    float Weights[3];
    unsigned Place[3];
#pragma unroll
    for (int D = 0; D < 3; ++D) {
      bool Upper = Corner >> D & 1;
      Weights[D] = Upper ? Of.Part[D] : 1 - Of.Part[D];
      Place[D] = Of.At[D] + Upper;
    }
    float Weight = Weights[0] * Weights[1] * Weights[2];
    size_t Slot = (size_t(Level) * Slots + slotOf(Place, Of.Side, Slots)) * 2;
    float Value = First * T[Slot] + Second * T[Slot + 1];
    Sum[0] += (Corner & 1 ? Value : -Value) * Weights[1] * Weights[2];
    Sum[1] += (Corner & 2 ? Value : -Value) * Weights[0] * Weights[2];
    Sum[2] += (Corner & 4 ? Value : -Value) * Weights[0] * Weights[1];
    addTwo(DT + Slot, Weight * First, Weight * Second);
  }
  for (int D = 0; D < 3; ++D)
    atomicAdd(&DP[3 * I + D], Sum[D] * Of.Scale);
}

__global__ void gridSample(int Channels, int Height, int Width, int Samples,
                           const float *__restrict__ X, float *__restrict__ DX,
                           const float *__restrict__ G, float *__restrict__ DG,
                           const float *__restrict__ DY) {
  int I = blockIdx.x * blockDim.x + threadIdx.x, Image = blockIdx.y;
  if (I >= Samples)
    return;
  size_t Place = (size_t(Image) * Samples + I) * 2;
  float U = ((G[Place] + 1) * Width - 1) / 2,
        V = ((G[Place + 1] + 1) * Height - 1) / 2;
  int Left = int(floorf(U)), Top = int(floorf(V));
  float A = U - Left, B = V - Top, OfU = 0, OfV = 0;
  bool InLeft = Left >= 0 && Left < Width,
       InRight = Left + 1 >= 0 && Left + 1 < Width;
  bool InTop = Top >= 0 && Top < Height,
       InBottom = Top + 1 >= 0 && Top + 1 < Height;
  for (int C = 0; C < Channels; ++C) {
    size_t At = ((size_t(Image) * Channels + C) * Height + Top) * Width + Left;
    float Seed = DY[(size_t(Image) * Channels + C) * Samples + I];
    if (InTop && InLeft) {
      atomicAdd(&DX[At], (1 - A) * (1 - B) * Seed);
      OfU -= (1 - B) * X[At] * Seed;
      OfV -= (1 - A) * X[At] * Seed;
    }
    if (InTop && InRight) {
      atomicAdd(&DX[At + 1], A * (1 - B) * Seed);
      OfU += (1 - B) * X[At + 1] * Seed;
      OfV -= A * X[At + 1] * Seed;
    }
    if (InBottom && InLeft) {
      atomicAdd(&DX[At + Width], (1 - A) * B * Seed);
      OfU -= B * X[At + Width] * Seed;
      OfV += (1 - A) * X[At + Width] * Seed;
    }
    if (InBottom && InRight) {
      atomicAdd(&DX[At + Width + 1], A * B * Seed);
      OfU += B * X[At + Width + 1] * Seed;
      OfV += A * X[At + Width + 1] * Seed;
    }
  }
  DG[Place] += OfU * Width / 2;
  DG[Place + 1] += OfV * Height / 2;
}

__global__ void roiAlign(int Count, int Channels, int Height, int Width,
                         int Bins, const float *__restrict__ Rois,
                         float *__restrict__ DX, const float *__restrict__ DY) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Count)
    return;
  int Column = I % Bins, Row = I / Bins % Bins, C = I / Bins / Bins % Channels,
      Roi = I / Bins / Bins / Channels;
  const float *Box = Rois + 4 * Roi;
  float Wide = (Box[2] - Box[0]) / Bins, High = (Box[3] - Box[1]) / Bins,
        Seed = DY[I] / 4;
  float *Map = DX + size_t(C) * Height * Width;
  for (int A = 0; A < 2; ++A)
    for (int B = 0; B < 2; ++B) {
      float V = Box[1] + (Row + (A + 0.5f) / 2) * High,
            U = Box[0] + (Column + (B + 0.5f) / 2) * Wide;
      if (V < -1 || V > Height || U < -1 || U > Width)
        continue;
      V = fmaxf(V, 0.0f);
      U = fmaxf(U, 0.0f);
      int Top = min(int(V), Height - 1), Left = min(int(U), Width - 1),
          Bottom = min(Top + 1, Height - 1), Right = min(Left + 1, Width - 1);
      float S = fminf(V, Height - 1.0f) - Top,
            R = fminf(U, Width - 1.0f) - Left;
      atomicAdd(&Map[Top * Width + Left], (1 - S) * (1 - R) * Seed);
      atomicAdd(&Map[Top * Width + Right], (1 - S) * R * Seed);
      atomicAdd(&Map[Bottom * Width + Left], S * (1 - R) * Seed);
      atomicAdd(&Map[Bottom * Width + Right], S * R * Seed);
    }
}

/// Of the image: scatters.
__global__ void deform(int Channels, int Height, int Width,
                       float *__restrict__ DX, const float *__restrict__ O,
                       const float *__restrict__ DY) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Channels * Height * Width)
    return;
  int Pixel = I % (Height * Width), C = I / (Height * Width), J = Pixel % Width,
      H = Pixel / Width;
  float *Map = DX + size_t(C) * Height * Width;
#pragma unroll
  for (int K = 0; K < 9; ++K) {
    float V = H + K / 3 - 1 + O[size_t(2 * K) * Height * Width + Pixel],
          U = J + K % 3 - 1 + O[size_t(2 * K + 1) * Height * Width + Pixel];
    if (!(V > -1 && V < Height && U > -1 && U < Width))
      continue;
    float Seed = DY[(size_t(C) * 9 + K) * Height * Width + Pixel];
    int Top = int(floorf(V)), Left = int(floorf(U));
    float S = V - Top, R = U - Left;
    if (Top >= 0 && Left >= 0)
      atomicAdd(&Map[Top * Width + Left], (1 - S) * (1 - R) * Seed);
    if (Top >= 0 && Left + 1 < Width)
      atomicAdd(&Map[Top * Width + Left + 1], (1 - S) * R * Seed);
    if (Top + 1 < Height && Left >= 0)
      atomicAdd(&Map[(Top + 1) * Width + Left], S * (1 - R) * Seed);
    if (Top + 1 < Height && Left + 1 < Width)
      atomicAdd(&Map[(Top + 1) * Width + Left + 1], S * R * Seed);
  }
}
/// Of the offsets: a thread for each pair of them adds up over the channels.
__global__ void deformOffsets(int Channels, int Height, int Width,
                              const float *__restrict__ X,
                              const float *__restrict__ O,
                              float *__restrict__ DO,
                              const float *__restrict__ DY) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= 9 * Height * Width)
    return;
  int Pixel = I % (Height * Width), K = I / (Height * Width), J = Pixel % Width,
      H = Pixel / Width;
  size_t AtV = size_t(2 * K) * Height * Width + Pixel,
         AtU = size_t(2 * K + 1) * Height * Width + Pixel;
  float V = H + K / 3 - 1 + O[AtV], U = J + K % 3 - 1 + O[AtU];
  if (!(V > -1 && V < Height && U > -1 && U < Width))
    return;
  int Top = int(floorf(V)), Left = int(floorf(U));
  float S = V - Top, R = U - Left, OfV = 0, OfU = 0;
  bool InTop = Top >= 0, InBottom = Top + 1 < Height, InLeft = Left >= 0,
       InRight = Left + 1 < Width;
  for (int C = 0; C < Channels; ++C) {
    const float *At = X + size_t(C) * Height * Width + (Top * Width + Left);
    float Seed = DY[(size_t(C) * 9 + K) * Height * Width + Pixel];
    float A = InTop && InLeft ? At[0] : 0, B = InTop && InRight ? At[1] : 0,
          E = InBottom && InLeft ? At[Width] : 0,
          F = InBottom && InRight ? At[Width + 1] : 0;
    OfV += Seed * ((1 - R) * (E - A) + R * (F - B));
    OfU += Seed * ((1 - S) * (B - A) + S * (F - E));
  }
  DO[AtV] += OfV;
  DO[AtU] += OfU;
}

/// Finds the largest again.
__global__ void maxPool(int Height, int Width, const float *__restrict__ X,
                        float *__restrict__ DX, const float *__restrict__ DY) {
  int J = blockIdx.x * blockDim.x + threadIdx.x,
      I = blockIdx.y * blockDim.y + threadIdx.y, Plane = blockIdx.z;
  int H = Height / 2, W = Width / 2;
  if (J >= W || I >= H)
    return;
  size_t Map = size_t(Plane) * Height * Width;
  float Largest = -INFINITY;
  int Place = 0;
#pragma unroll
  for (int A = -1; A <= 1; ++A)
#pragma unroll
    for (int B = -1; B <= 1; ++B)
      if (2 * I + A >= 0 && 2 * I + A < Height && 2 * J + B >= 0 &&
          2 * J + B < Width) {
        int At = (2 * I + A) * Width + 2 * J + B;
        if (X[Map + At] > Largest) {
          Largest = X[Map + At];
          Place = At;
        }
      }
  atomicAdd(&DX[Map + Place], DY[(size_t(Plane) * H + I) * W + J]);
}

__global__ void meanPool(int Height, int Width, float *__restrict__ DX,
                         const float *__restrict__ DY) {
  int J = blockIdx.x * blockDim.x + threadIdx.x,
      I = blockIdx.y * blockDim.y + threadIdx.y, Plane = blockIdx.z;
  int H = Height / 2, W = Width / 2;
  if (J >= W || I >= H)
    return;
  float *Map = DX + (size_t(Plane) * Height + 2 * I) * Width + 2 * J;
  float Seed = 0.25f * DY[(size_t(Plane) * H + I) * W + J];
  Map[0] += Seed;
  Map[1] += Seed;
  Map[Width] += Seed;
  Map[Width + 1] += Seed;
}

} // namespace hand
} // namespace gather

#endif
