//===- Splat.h - the gradient by hand of the kernel in Splat.cu -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Adds to the splats' adjoints what the image's give, which stay as they are.
// The first half goes through the list as the primal does, up to what remains
// of the light of each pixel. The second half goes back from there: what shone
// through before a splat is what shone through behind it, divided by 1 - alpha;
// what is behind a splat is added up on the way. A warp adds up the nine
// numbers of a splat by exchanges, and adds them to memory by one instruction.
//
//===----------------------------------------------------------------------===//

#ifndef BENCH_GPU_HAND_SPLAT_H
#define BENCH_GPU_HAND_SPLAT_H

namespace splat {
namespace hand {

/// Lane k < 8 gets the sum over the warp of X[k].
__device__ inline float sumEight(float (&X)[8], int Lane) {
#pragma unroll
  for (int Half = 4; Half; Half /= 2) {
    bool Upper = Lane & Half;
#pragma unroll
    for (int K = 0; K < Half; ++K) {
      float Given = Upper ? X[K] : X[K + Half];
      float Kept = Upper ? X[K + Half] : X[K];
      X[K] = Kept + __shfl_xor_sync(0xffffffffu, Given, Half);
    }
  }
  X[0] += __shfl_xor_sync(0xffffffffu, X[0], 8);
  return X[0] + __shfl_xor_sync(0xffffffffu, X[0], 16);
}

__global__ void
draw(int Width, float Faint, float Opaque, const int *__restrict__ Starts,
     const int *__restrict__ Lists, const float *__restrict__ Splats,
     float *__restrict__ DSplats, const float *__restrict__ DImage) {
  __shared__ float Tile[Batch][Numbers];
  __shared__ int Which[Batch];
  int Thread = threadIdx.y * Edge + threadIdx.x, Lane = Thread % 32;
  int X = blockIdx.x * Edge + threadIdx.x, Y = blockIdx.y * Edge + threadIdx.y;
  int TileId = blockIdx.y * gridDim.x + blockIdx.x;
  int First = Starts[TileId], End = Starts[TileId + 1];
  auto Fill = [&](int Base, int Count) {
    __syncthreads();
    if (Thread < Count) {
      int S = Lists[Base + Thread];
      Which[Thread] = S * Numbers;
#pragma unroll
      for (int N = 0; N < Numbers; ++N)
        Tile[Thread][N] = Splats[S * Numbers + N];
    }
    __syncthreads();
  };

  float Through = 1;
  int Stop = End;
  for (int Base = First; Base < End; Base += Batch) {
    int Count = min(Batch, End - Base);
    Fill(Base, Count);
    for (int I = 0; I < Count && Stop == End; ++I) {
      float DX = Tile[I][0] - float(X), DY = Tile[I][1] - float(Y);
      float Power = -0.5f * (Tile[I][2] * DX * DX + Tile[I][4] * DY * DY) -
                    Tile[I][3] * DX * DY;
      if (Power > 0)
        continue;
      float Alpha = fminf(0.99f, Tile[I][5] * expf(Power));
      if (Alpha < Faint)
        continue;
      float Left = Through * (1 - Alpha);
      if (Left < Opaque)
        Stop = Base + I;
      else
        Through = Left;
    }
  }

  int Pixels = Width * gridDim.y * Edge, Pixel = Y * Width + X;
  float R = DImage[Pixel], G = DImage[Pixels + Pixel],
        B = DImage[2 * Pixels + Pixel];
  float Behind = 0;
  for (int Base = First + (End - First - 1) / Batch * Batch; Base >= First;
       Base -= Batch) {
    int Count = min(Batch, End - Base);
    Fill(Base, Count);
    for (int I = Count - 1; I >= 0; --I) {
      const float *Of = Tile[I];
      float DX = Of[0] - float(X), DY = Of[1] - float(Y);
      float Power =
          -0.5f * (Of[2] * DX * DX + Of[4] * DY * DY) - Of[3] * DX * DY;
      float Shape = expf(Power), Alpha = fminf(0.99f, Of[5] * Shape);
      bool Seen = Base + I < Stop && Power <= 0 && Alpha >= Faint;
      if (!__any_sync(0xffffffffu, Seen))
        continue;
      float D[8] = {}, Last = 0;
      if (Seen) {
        Through /= 1 - Alpha;
        float Share = Alpha * Through, Here = R * Of[6] + G * Of[7] + B * Of[8];
        D[6] = Share * R, D[7] = Share * G, Last = Share * B;
        float DAlpha = Through * Here - Behind / (1 - Alpha);
        Behind += Share * Here;
        if (Of[5] * Shape < 0.99f) {
          D[5] = DAlpha * Shape;
          float DPower = DAlpha * Of[5] * Shape;
          D[0] = -DPower * (Of[2] * DX + Of[3] * DY);
          D[1] = -DPower * (Of[4] * DY + Of[3] * DX);
          D[2] = -0.5f * DPower * DX * DX;
          D[3] = -DPower * DX * DY;
          D[4] = -0.5f * DPower * DY * DY;
        }
      }
      float Sum = sumEight(D, Lane);
#pragma unroll
      for (int Half = 16; Half; Half /= 2)
        Last += __shfl_xor_sync(0xffffffffu, Last, Half);
      if (Lane < Numbers)
        atomicAdd(&DSplats[Which[I] + Lane], Lane < 8 ? Sum : Last);
    }
  }
}

} // namespace hand
} // namespace splat

#endif
