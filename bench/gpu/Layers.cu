//===- Layers.cu - kernels of neural networks, and their gradients by hand -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels whose gradients people write by hand: one row of the table each, chosen by
// --row=K or all. hand/Layers.h has a gradient by hand for each. It does what ours
// does: from the inputs and the outputs' adjoints alone, it adds to the inputs'.
//
//===----------------------------------------------------------------------===//

#include "Rows.h"
#include "hand/Layers.h"

namespace layers {

constexpr int Warp = 32;

__device__ __forceinline__ float warpSum(float X) {
#pragma unroll
  for (int Lane = Warp / 2; Lane; Lane /= 2)
    X += __shfl_xor_sync(0xffffffffu, X, Lane);
  return X;
}
__device__ __forceinline__ float warpMax(float X) {
#pragma unroll
  for (int Lane = Warp / 2; Lane; Lane /= 2)
    X = fmaxf(X, __shfl_xor_sync(0xffffffffu, X, Lane));
  return X;
}

/// A warp for each row of C numbers.
__device__ __forceinline__ void layerNorm(int Rows, int C, const float *__restrict__ X, const float *__restrict__ W,
                                          const float *__restrict__ B, float *__restrict__ Y) {
  int Row = (blockIdx.x * blockDim.x + threadIdx.x) / Warp, Lane = threadIdx.x % Warp;
  if (Row >= Rows)
    return;
  const float *Mine = X + size_t(Row) * C;
  float Sum = 0;
  for (int I = Lane; I < C; I += Warp)
    Sum += Mine[I];
  float Mean = warpSum(Sum) / C;
  float Squares = 0;
  for (int I = Lane; I < C; I += Warp) {
    float Off = Mine[I] - Mean;
    Squares += Off * Off;
  }
  float Scale = rsqrtf(warpSum(Squares) / C + 1e-5f);
  for (int I = Lane; I < C; I += Warp)
    Y[size_t(Row) * C + I] = (Mine[I] - Mean) * Scale * W[I] + B[I];
}

/// A block for each row: the sum by way of shared memory.
__device__ __forceinline__ void rmsNorm(int C, const float *__restrict__ X, const float *__restrict__ W, float *__restrict__ Y) {
  __shared__ float Part[Warp];
  const float *Mine = X + size_t(blockIdx.x) * C;
  float Squares = 0;
  for (int I = threadIdx.x; I < C; I += blockDim.x)
    Squares += Mine[I] * Mine[I];
  Squares = warpSum(Squares);
  if (threadIdx.x % Warp == 0)
    Part[threadIdx.x / Warp] = Squares;
  __syncthreads();
  float All = warpSum(threadIdx.x % Warp < blockDim.x / Warp ? Part[threadIdx.x % Warp] : 0.0f);
  float Scale = rsqrtf(All / C + 1e-6f);
  for (int I = threadIdx.x; I < C; I += blockDim.x)
    Y[size_t(blockIdx.x) * C + I] = Mine[I] * Scale * W[I];
}

__device__ __forceinline__ void softmax(int Rows, int C, const float *__restrict__ X, float *__restrict__ Y) {
  int Row = (blockIdx.x * blockDim.x + threadIdx.x) / Warp, Lane = threadIdx.x % Warp;
  if (Row >= Rows)
    return;
  const float *Mine = X + size_t(Row) * C;
  float Largest = -INFINITY;
  for (int I = Lane; I < C; I += Warp)
    Largest = fmaxf(Largest, Mine[I]);
  Largest = warpMax(Largest);
  float Sum = 0;
  for (int I = Lane; I < C; I += Warp)
    Sum += expf(Mine[I] - Largest);
  Sum = warpSum(Sum);
  for (int I = Lane; I < C; I += Warp)
    Y[size_t(Row) * C + I] = expf(Mine[I] - Largest) / Sum;
}

/// Softmax with a running maximum and sum in each lane.
__device__ __forceinline__ void onlineSoftmax(int Rows, int C, const float *__restrict__ X, float *__restrict__ Y) {
  int Row = (blockIdx.x * blockDim.x + threadIdx.x) / Warp, Lane = threadIdx.x % Warp;
  if (Row >= Rows)
    return;
  const float *Mine = X + size_t(Row) * C;
  float Largest = -1e30f, Sum = 0;
  for (int I = Lane; I < C; I += Warp) {
    float Grown = fmaxf(Largest, Mine[I]);
    Sum = Sum * expf(Largest - Grown) + expf(Mine[I] - Grown);
    Largest = Grown;
  }
  float Top = warpMax(Largest);
  Sum = warpSum(Sum * expf(Largest - Top));
  for (int I = Lane; I < C; I += Warp)
    Y[size_t(Row) * C + I] = expf(Mine[I] - Top) / Sum;
}

__device__ __forceinline__ void crossEntropy(int Rows, int C, const float *__restrict__ X, const int *__restrict__ Target,
                                             float *__restrict__ Loss) {
  int Row = (blockIdx.x * blockDim.x + threadIdx.x) / Warp, Lane = threadIdx.x % Warp;
  if (Row >= Rows)
    return;
  const float *Mine = X + size_t(Row) * C;
  float Largest = -INFINITY;
  for (int I = Lane; I < C; I += Warp)
    Largest = fmaxf(Largest, Mine[I]);
  Largest = warpMax(Largest);
  float Sum = 0;
  for (int I = Lane; I < C; I += Warp)
    Sum += expf(Mine[I] - Largest);
  Sum = warpSum(Sum);
  if (Lane == 0)
    Loss[Row] = logf(Sum) + Largest - Mine[Target[Row]];
}

__device__ __forceinline__ void gelu(int N, const float *__restrict__ X, float *__restrict__ Y) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float V = X[I];
  Y[I] = 0.5f * V * (1.0f + tanhf(0.7978845608f * (V + 0.044715f * V * V * V)));
}

__device__ __forceinline__ void swiGlu(int N, const float *__restrict__ A, const float *__restrict__ B, float *__restrict__ Y) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= N)
    return;
  float V = A[I];
  Y[I] = V / (1.0f + expf(-V)) * B[I];
}

/// Tokens' and places' vectors added.
__device__ __forceinline__ void embed(int Rows, int C, int Length, const int *__restrict__ Tokens, const float *__restrict__ Words,
                                      const float *__restrict__ Places, float *__restrict__ Y) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Rows * C)
    return;
  int Row = I / C, At = I % C;
  Y[I] = Words[size_t(Tokens[Row]) * C + At] + Places[(Row % Length) * C + At];
}

/// Selective scan: a thread for each channel, State numbers that every step decays and adds to.
constexpr int State = 8;
__device__ __forceinline__ void scan(int Length, int Channels, const float *__restrict__ X, const float *__restrict__ Step,
                                     const float *__restrict__ A, const float *__restrict__ B, const float *__restrict__ C,
                                     float *__restrict__ Y) {
  int D = blockIdx.x * blockDim.x + threadIdx.x, Batch = blockIdx.y;
  float H[State] = {};
  for (int T = 0; T < Length; ++T) {
    size_t At = (size_t(Batch) * Length + T) * Channels + D;
    float Dt = Step[At], In = X[At], Out = 0;
#pragma unroll
    for (int N = 0; N < State; ++N) {
      H[N] = expf(Dt * A[D * State + N]) * H[N] + Dt * B[(Batch * Length + T) * State + N] * In;
      Out += C[(Batch * Length + T) * State + N] * H[N];
    }
    Y[At] = Out;
  }
}

/// A convolution of 3 x 3, each channel by itself; zeros outside.
__device__ __forceinline__ void depthwise(int Height, int Width, const float *__restrict__ X, const float *__restrict__ W, float *__restrict__ Y) {
  int J = blockIdx.x * blockDim.x + threadIdx.x, I = blockIdx.y * blockDim.y + threadIdx.y, Plane = blockIdx.z;
  if (J >= Width || I >= Height)
    return;
  float Sum = 0;
#pragma unroll
  for (int A = -1; A <= 1; ++A)
#pragma unroll
    for (int B = -1; B <= 1; ++B)
      if (I + A >= 0 && I + A < Height && J + B >= 0 && J + B < Width)
        Sum += W[Plane % 64 * 9 + (A + 1) * 3 + B + 1] * X[(size_t(Plane) * Height + I + A) * Width + J + B];
  Y[(size_t(Plane) * Height + I) * Width + J] = Sum;
}

/// A convolution of 3 x 3 from In channels to gridDim.y; inside alone.
__device__ __forceinline__ void convolve(int In, int Height, int Width, const float *__restrict__ X, const float *__restrict__ W,
                                         float *__restrict__ Y) {
  int Pixel = blockIdx.x * blockDim.x + threadIdx.x, Out = blockIdx.y, Batch = blockIdx.z;
  int H = Height - 2, V = Width - 2;
  if (Pixel >= H * V)
    return;
  int I = Pixel / V, J = Pixel % V;
  float Sum = 0;
  for (int C = 0; C < In; ++C)
#pragma unroll
    for (int A = 0; A < 3; ++A)
#pragma unroll
      for (int B = 0; B < 3; ++B)
        Sum += W[((Out * In + C) * 3 + A) * 3 + B] * X[((size_t(Batch) * In + C) * Height + I + A) * Width + J + B];
  Y[(size_t(Batch) * gridDim.y + Out) * H * V + Pixel] = Sum;
}

/// Colours along rays, front to back, until almost nothing shines through.
__device__ __forceinline__ void composite(int Rays, float Opaque, const int *__restrict__ Starts, const float *__restrict__ Sigma,
                                          const float *__restrict__ Colour, const float *__restrict__ Step, float *__restrict__ Image) {
  int Ray = blockIdx.x * blockDim.x + threadIdx.x;
  if (Ray >= Rays)
    return;
  float Through = 1, Red = 0, Green = 0, Blue = 0;
  for (int S = Starts[Ray]; S < Starts[Ray + 1]; ++S) {
    float Alpha = 1.0f - expf(-Sigma[S] * Step[S]);
    float Share = Alpha * Through;
    Red += Share * Colour[3 * S];
    Green += Share * Colour[3 * S + 1];
    Blue += Share * Colour[3 * S + 2];
    Through *= 1.0f - Alpha;
    if (Through < Opaque)
      break;
  }
  Image[3 * Ray] = Red;
  Image[3 * Ray + 1] = Green;
  Image[3 * Ray + 2] = Blue;
}

KERNELS(layerNorm, (int R, int C, IN(X), IN(W), IN(B), TO(Y)), (int R, int C, IN2(X), IN2(W), IN2(B), TO2(Y)), (R, C, X, W, B, Y),
        MANY(CONST(R), CONST(C), DUP(X), DUP(W), DUP(B)))
KERNELS(rmsNorm, (int C, IN(X), IN(W), TO(Y)), (int C, IN2(X), IN2(W), TO2(Y)), (C, X, W, Y), MANY(CONST(C), DUP(X), DUP(W)))
KERNELS(softmax, (int R, int C, IN(X), TO(Y)), (int R, int C, IN2(X), TO2(Y)), (R, C, X, Y), MANY(CONST(R), CONST(C), DUP(X)))
KERNELS(onlineSoftmax, (int R, int C, IN(X), TO(Y)), (int R, int C, IN2(X), TO2(Y)), (R, C, X, Y), MANY(CONST(R), CONST(C), DUP(X)))
KERNELS(crossEntropy, (int R, int C, IN(X), const int *T, TO(Y)), (int R, int C, IN2(X), const int *T, TO2(Y)), (R, C, X, T, Y),
        MANY(CONST(R), CONST(C), DUP(X), CONST(T)))
KERNELS(gelu, (int N, IN(X), TO(Y)), (int N, IN2(X), TO2(Y)), (N, X, Y), MANY(CONST(N), DUP(X)))
KERNELS(swiGlu, (int N, IN(A), IN(B), TO(Y)), (int N, IN2(A), IN2(B), TO2(Y)), (N, A, B, Y), MANY(CONST(N), DUP(A), DUP(B)))
KERNELS(embed, (int R, int C, int L, const int *T, IN(W), IN(P), TO(Y)), (int R, int C, int L, const int *T, IN2(W), IN2(P), TO2(Y)), (R, C, L, T, W, P, Y),
        MANY(CONST(R), CONST(C), CONST(L), CONST(T), DUP(W), DUP(P)))
KERNELS(scan, (int L, int Ch, IN(X), IN(S), IN(A), IN(B), IN(C), TO(Y)), (int L, int Ch, IN2(X), IN2(S), IN2(A), IN2(B), IN2(C), TO2(Y)),
        (L, Ch, X, S, A, B, C, Y), MANY(CONST(L), CONST(Ch), DUP(X), DUP(S), DUP(A), DUP(B), DUP(C)))
KERNELS(depthwise, (int H, int V, IN(X), IN(W), TO(Y)), (int H, int V, IN2(X), IN2(W), TO2(Y)), (H, V, X, W, Y),
        MANY(CONST(H), CONST(V), DUP(X), DUP(W)))
KERNELS(convolve, (int I, int H, int V, IN(X), IN(W), TO(Y)), (int I, int H, int V, IN2(X), IN2(W), TO2(Y)), (I, H, V, X, W, Y),
        MANY(CONST(I), CONST(H), CONST(V), DUP(X), DUP(W)))
KERNELS(composite, (int R, float O, const int *St, IN(S), IN(C), IN(T), TO(Y)), (int R, float O, const int *St, IN2(S), IN2(C), IN(T), TO2(Y)),
        (R, O, St, S, C, T, Y), MANY(CONST(R), CONST(O), CONST(St), DUP(S), DUP(C), CONST(T)))

} // namespace layers

using namespace layers;

int main(int Count, char **Words) {
  bench::Options Given(Count, Words);
  bench::Rows Table(Given);
  int Rows = Given.size("rows", 12, 16384), C = Given.size("columns", 70, 1024);
  int N = Given.size("numbers", 500, 1 << 24);
  int Tokens = Given.size("words", 9, 32768), Length = Given.size("length", 4, 1024);
  int Steps = Given.size("steps", 37, 1024), Channels = Given.size("channels", 64, 2048), Batch = Given.size("batch", 1, 8);
  int Side = Given.size("side", 19, 256), Planes = Given.size("planes", 3, 256);
  int Maps = Given.size("maps", 3, 32), Images = Given.size("images", 1, 8), Edge = Given.size("edge", 12, 66);
  int Rays = Given.size("rays", 50, 1 << 16), Most = Given.size("samples", 12, 128);
  float Opaque = Given.number("large", 0) != 0 ? 1e-3f : 0.0f;
  // What the constructors of the programs ask for.
  { bench::Program Known("", "", Given); }
  Given.finish();
  // hand::scan has room for 64 states, one every 32 steps.
  if (Channels % 64 || Steps > 2048) {
    std::fprintf(stderr, "channels must be a multiple of 64, steps at most 2048\n");
    return 2;
  }
  int Block = 128, Grid = (Rows + 3) / 4, Flat = (N + 255) / 256;

  if (Table.wanted()) {
    bench::Program P("layer norm", bench::by(Rows, C), Given);
    bench::Pair X = Table.input(size_t(Rows) * C), W = Table.input(C), B = Table.input(C), Y = Table.output(size_t(Rows) * C);
    P.Primal = [=] { layerNormPrimal<<<Grid, Block>>>(Rows, C, X.X, W.X, B.X, Y.X); };
    P.Gradient = [=] { layerNormGradient<<<Grid, Block>>>(Rows, C, X.X, X.D, W.X, W.D, B.X, B.D, Y.X, Y.D); };
    P.Forward = [=] { layerNormForward<<<Grid, Block>>>(Rows, C, X.X, X.D, W.X, W.D, B.X, B.D, Y.X, Y.D); };
    P.Hand = [=] { hand::layerNorm<<<(Rows + 31) / 32, 256, 2 * C * sizeof(float)>>>(Rows, C, X.X, X.D, W.X, W.D, B.D, Y.D); };
    KERNEL_OF(layerNorm);
    Table.finish(P, {X, W, B}, Y);
  }
  if (Table.wanted()) {
    bench::Program P("RMS norm", bench::by(Rows, C), Given);
    bench::Pair X = Table.input(size_t(Rows) * C), W = Table.input(C), Y = Table.output(size_t(Rows) * C);
    P.Primal = [=] { rmsNormPrimal<<<Rows, 256>>>(C, X.X, W.X, Y.X); };
    P.Gradient = [=] { rmsNormGradient<<<Rows, 256>>>(C, X.X, X.D, W.X, W.D, Y.X, Y.D); };
    P.Forward = [=] { rmsNormForward<<<Rows, 256>>>(C, X.X, X.D, W.X, W.D, Y.X, Y.D); };
    P.Hand = [=] { hand::rmsNorm<<<(Rows + 31) / 32, 256, C * sizeof(float)>>>(Rows, C, X.X, X.D, W.X, W.D, Y.D); };
    KERNEL_OF(rmsNorm);
    Table.finish(P, {X, W}, Y);
  }
  if (Table.wanted()) {
    bench::Program P("softmax", bench::by(Rows, C), Given);
    bench::Pair X = Table.input(size_t(Rows) * C), Y = Table.output(size_t(Rows) * C);
    P.Primal = [=] { softmaxPrimal<<<Grid, Block>>>(Rows, C, X.X, Y.X); };
    P.Gradient = [=] { softmaxGradient<<<Grid, Block>>>(Rows, C, X.X, X.D, Y.X, Y.D); };
    P.Forward = [=] { softmaxForward<<<Grid, Block>>>(Rows, C, X.X, X.D, Y.X, Y.D); };
    P.Hand = [=] { hand::softmax<<<Grid, Block>>>(Rows, C, X.X, X.D, Y.D); };
    KERNEL_OF(softmax);
    Table.finish(P, {X}, Y);
  }
  if (Table.wanted()) {
    bench::Program P("softmax, running maximum", bench::by(Rows, C), Given);
    bench::Pair X = Table.input(size_t(Rows) * C), Y = Table.output(size_t(Rows) * C);
    P.Primal = [=] { onlineSoftmaxPrimal<<<Grid, Block>>>(Rows, C, X.X, Y.X); };
    P.Gradient = [=] { onlineSoftmaxGradient<<<Grid, Block>>>(Rows, C, X.X, X.D, Y.X, Y.D); };
    P.Forward = [=] { onlineSoftmaxForward<<<Grid, Block>>>(Rows, C, X.X, X.D, Y.X, Y.D); };
    P.Hand = [=] { hand::softmax<<<Grid, Block>>>(Rows, C, X.X, X.D, Y.D); };
    P.kernels((const void *)onlineSoftmaxPrimal, (const void *)onlineSoftmaxGradient, (const void *)hand::softmax);
    Table.finish(P, {X}, Y);
  }
  if (Table.wanted()) {
    bench::Program P("cross entropy", bench::by(Rows, C), Given);
    bench::Pair X = Table.input(size_t(Rows) * C), Y = Table.output(Rows);
    int *T = Table.indices(Rows, C);
    P.Primal = [=] { crossEntropyPrimal<<<Grid, Block>>>(Rows, C, X.X, T, Y.X); };
    P.Gradient = [=] { crossEntropyGradient<<<Grid, Block>>>(Rows, C, X.X, X.D, T, Y.X, Y.D); };
    P.Forward = [=] { crossEntropyForward<<<Grid, Block>>>(Rows, C, X.X, X.D, T, Y.X, Y.D); };
    P.Hand = [=] { hand::crossEntropy<<<Grid, Block>>>(Rows, C, X.X, X.D, T, Y.D); };
    KERNEL_OF(crossEntropy);
    Table.finish(P, {X}, Y);
  }
  if (Table.wanted()) {
    bench::Program P("GELU", std::to_string(N), Given);
    bench::Pair X = Table.input(N, -3, 3), Y = Table.output(N);
    P.Primal = [=] { geluPrimal<<<Flat, 256>>>(N, X.X, Y.X); };
    P.Gradient = [=] { geluGradient<<<Flat, 256>>>(N, X.X, X.D, Y.X, Y.D); };
    P.Forward = [=] { geluForward<<<Flat, 256>>>(N, X.X, X.D, Y.X, Y.D); };
    P.Hand = [=] { hand::gelu<<<Flat, 256>>>(N, X.X, X.D, Y.D); };
    KERNEL_OF(gelu);
    Table.finish(P, {X}, Y);
  }
  if (Table.wanted()) {
    bench::Program P("SwiGLU", std::to_string(N), Given);
    bench::Pair A = Table.input(N, -3, 3), B = Table.input(N), Y = Table.output(N);
    P.Primal = [=] { swiGluPrimal<<<Flat, 256>>>(N, A.X, B.X, Y.X); };
    P.Gradient = [=] { swiGluGradient<<<Flat, 256>>>(N, A.X, A.D, B.X, B.D, Y.X, Y.D); };
    P.Forward = [=] { swiGluForward<<<Flat, 256>>>(N, A.X, A.D, B.X, B.D, Y.X, Y.D); };
    P.Hand = [=] { hand::swiGlu<<<Flat, 256>>>(N, A.X, A.D, B.X, B.D, Y.D); };
    KERNEL_OF(swiGlu);
    Table.finish(P, {A, B}, Y);
  }
  if (Table.wanted()) {
    bench::Program P("embedding", bench::by(Rows, C), Given);
    bench::Pair W = Table.input(size_t(Tokens) * C), At = Table.input(size_t(Length) * C), Y = Table.output(size_t(Rows) * C);
    int *T = Table.indices(Rows, Tokens), Blocks = (Rows * C + 255) / 256;
    P.Primal = [=] { embedPrimal<<<Blocks, 256>>>(Rows, C, Length, T, W.X, At.X, Y.X); };
    P.Gradient = [=] { embedGradient<<<Blocks, 256>>>(Rows, C, Length, T, W.X, W.D, At.X, At.D, Y.X, Y.D); };
    P.Forward = [=] { embedForward<<<Blocks, 256>>>(Rows, C, Length, T, W.X, W.D, At.X, At.D, Y.X, Y.D); };
    P.Hand = [=] { hand::embed<<<Blocks, 256>>>(Rows, C, Length, T, W.D, At.D, Y.D); };
    KERNEL_OF(embed);
    Table.finish(P, {W, At}, Y);
  }
  if (Table.wanted()) {
    bench::Program P("selective scan", std::to_string(Batch) + " x " + bench::by(Steps, Channels), Given);
    size_t All = size_t(Batch) * Steps * Channels;
    bench::Pair X = Table.input(All), S = Table.input(All, 0.05, 0.3), A = Table.input(size_t(Channels) * State, -1, -0.1);
    bench::Pair B = Table.input(size_t(Batch) * Steps * State), K = Table.input(B.Count), Y = Table.output(All);
    dim3 Blocks(Channels / 64, Batch);
    P.Threads = size_t(Batch) * Channels;
    P.Primal = [=] { scanPrimal<<<Blocks, 64>>>(Steps, Channels, X.X, S.X, A.X, B.X, K.X, Y.X); };
    P.Gradient = [=] { scanGradient<<<Blocks, 64>>>(Steps, Channels, X.X, X.D, S.X, S.D, A.X, A.D, B.X, B.D, K.X, K.D, Y.X, Y.D); };
    P.Forward = [=] { scanForward<<<Blocks, 64>>>(Steps, Channels, X.X, X.D, S.X, S.D, A.X, A.D, B.X, B.D, K.X, K.D, Y.X, Y.D); };
    P.Hand = [=] { hand::scan<<<Blocks, 64>>>(Steps, Channels, X.X, X.D, S.X, S.D, A.X, A.D, B.X, B.D, K.X, K.D, Y.D); };
    KERNEL_OF(scan);
    Table.finish(P, {X, S, A, B, K}, Y);
  }
  if (Table.wanted()) {
    bench::Program P("depthwise 3 x 3", std::to_string(Planes) + " x " + bench::by(Side, Side), Given);
    bench::Pair X = Table.input(size_t(Planes) * Side * Side), W = Table.input(64 * 9), Y = Table.output(X.Count);
    dim3 Threads(32, 8), Blocks((Side + 31) / 32, (Side + 7) / 8, Planes);
    P.Primal = [=] { depthwisePrimal<<<Blocks, Threads>>>(Side, Side, X.X, W.X, Y.X); };
    P.Gradient = [=] { depthwiseGradient<<<Blocks, Threads>>>(Side, Side, X.X, X.D, W.X, W.D, Y.X, Y.D); };
    P.Forward = [=] { depthwiseForward<<<Blocks, Threads>>>(Side, Side, X.X, X.D, W.X, W.D, Y.X, Y.D); };
    P.Hand = [=] { hand::depthwise<<<Blocks, Threads>>>(Side, Side, X.X, X.D, W.X, W.D, Y.D); };
    KERNEL_OF(depthwise);
    Table.finish(P, {X, W}, Y);
  }
  if (Table.wanted()) {
    bench::Program P("convolution 3 x 3", std::to_string(Images) + " x " + bench::by(Maps, Edge), Given);
    bench::Pair X = Table.input(size_t(Images) * Maps * Edge * Edge), W = Table.input(size_t(Maps) * Maps * 9);
    bench::Pair Y = Table.output(size_t(Images) * Maps * (Edge - 2) * (Edge - 2));
    dim3 Blocks(((Edge - 2) * (Edge - 2) + 127) / 128, Maps, Images);
    P.Primal = [=] { convolvePrimal<<<Blocks, 128>>>(Maps, Edge, Edge, X.X, W.X, Y.X); };
    P.Gradient = [=] { convolveGradient<<<Blocks, 128>>>(Maps, Edge, Edge, X.X, X.D, W.X, W.D, Y.X, Y.D); };
    P.Forward = [=] { convolveForward<<<Blocks, 128>>>(Maps, Edge, Edge, X.X, X.D, W.X, W.D, Y.X, Y.D); };
    dim3 HandX((Edge * Edge + 127) / 128, Maps, Images), HandW(Maps, Maps, Images);
    P.Hand = [=] {
      hand::convolve<<<HandX, 128>>>(Maps, Edge, Edge, X.D, W.X, Y.D);
      hand::convolveWeights<<<HandW, 128>>>(Maps, Edge, Edge, X.X, W.D, Y.D);
    };
    KERNEL_OF(convolve);
    Table.finish(P, {X, W}, Y);
  }
  if (Table.wanted()) {
    bench::Program P("alpha compositing", std::to_string(Rays) + " rays", Given);
    std::vector<int> Starts(1, 0);
    for (int R = 0; R < Rays; ++R)
      Starts.push_back(Starts.back() + 1 + int(Table.below(Most)));
    size_t Samples = Starts.back();
    int *St = bench::upload(Starts);
    bench::Pair S = Table.input(Samples, 0.1, 3), K = Table.input(3 * Samples, 0, 1), T = Table.input(Samples, 0.01, 0.1), Y = Table.output(3 * size_t(Rays));
    // At the threshold the image jumps; small sizes, which are for checking, never come to it.
    int Blocks = (Rays + 127) / 128;
    P.Primal = [=] { compositePrimal<<<Blocks, 128>>>(Rays, Opaque, St, S.X, K.X, T.X, Y.X); };
    P.Gradient = [=] { compositeGradient<<<Blocks, 128>>>(Rays, Opaque, St, S.X, S.D, K.X, K.D, T.X, Y.X, Y.D); };
    P.Forward = [=] { compositeForward<<<Blocks, 128>>>(Rays, Opaque, St, S.X, S.D, K.X, K.D, T.X, Y.X, Y.D); };
    P.Hand = [=] { hand::composite<<<Blocks, 128>>>(Rays, Opaque, St, S.X, S.D, K.X, K.D, T.X, Y.D); };
    KERNEL_OF(composite);
    Table.finish(P, {S, K}, Y);
  }
  return Table.Status;
}
