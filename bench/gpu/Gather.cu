//===- Gather.cu - kernels that gather, and their gradients by hand ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that read at places which the data tells, so that their gradients
// scatter: the encoding of points by a grid of hash tables (Mueller and others,
// 2022), bilinear samples of an image (Jaderberg and others, 2015), aligned
// regions (He and others, 2017), deformable convolutions (Dai and others,
// 2017), pooling. hand/Gather.h has a gradient by hand for each, compared and
// timed in the same run; --row=K runs one.
//
//===----------------------------------------------------------------------===//

#include "Rows.h"
#include "hand/Gather.h"

namespace gather {

/// Features of points in the unit cube: a thread for each point and level, which reads eight corners of two numbers.
__device__ __forceinline__ void hashGrid(int Points, int Slots, float Base, float Growth, const float *__restrict__ P, const float *__restrict__ T,
                                         float *__restrict__ Y) {
  int I = blockIdx.x * blockDim.x + threadIdx.x, Level = blockIdx.y;
  if (I >= Points)
    return;
  float Scale = Base * exp2f(Level * Growth) - 1.0f;
  unsigned Side = unsigned(ceilf(Scale)) + 1, At[3];
  float Part[3];
  for (int D = 0; D < 3; ++D) {
    float X = P[3 * I + D] * Scale + 0.5f, Floor = floorf(X);
    At[D] = unsigned(Floor);
    Part[D] = X - Floor;
  }
  float First = 0, Second = 0;
#pragma unroll
  for (unsigned Corner = 0; Corner < 8; ++Corner) {
    float Weight = 1;
    unsigned Place[3];
#pragma unroll
    for (int D = 0; D < 3; ++D) {
      bool Upper = Corner >> D & 1;
      Weight *= Upper ? Part[D] : 1 - Part[D];
      Place[D] = At[D] + Upper;
    }
    size_t Slot = (size_t(Level) * Slots + slotOf(Place, Side, Slots)) * 2;
    First += Weight * T[Slot];
    Second += Weight * T[Slot + 1];
  }
  Y[(size_t(Level) * Points + I) * 2] = First;
  Y[(size_t(Level) * Points + I) * 2 + 1] = Second;
}

/// Bilinear samples of an image at places in [-1, 1], zeros outside: a thread for each sample, all channels.
__device__ __forceinline__ void gridSample(int Channels, int Height, int Width, int Samples, const float *__restrict__ X, const float *__restrict__ G,
                                           float *__restrict__ Y) {
  int I = blockIdx.x * blockDim.x + threadIdx.x, Image = blockIdx.y;
  if (I >= Samples)
    return;
  size_t Place = (size_t(Image) * Samples + I) * 2;
  float U = ((G[Place] + 1) * Width - 1) / 2, V = ((G[Place + 1] + 1) * Height - 1) / 2;
  int Left = int(floorf(U)), Top = int(floorf(V));
  float A = U - Left, B = V - Top;
  bool InLeft = Left >= 0 && Left < Width, InRight = Left + 1 >= 0 && Left + 1 < Width;
  bool InTop = Top >= 0 && Top < Height, InBottom = Top + 1 >= 0 && Top + 1 < Height;
  for (int C = 0; C < Channels; ++C) {
    const float *At = X + ((size_t(Image) * Channels + C) * Height + Top) * Width + Left;
    float Sum = 0;
    if (InTop && InLeft)
      Sum += (1 - A) * (1 - B) * At[0];
    if (InTop && InRight)
      Sum += A * (1 - B) * At[1];
    if (InBottom && InLeft)
      Sum += (1 - A) * B * At[Width];
    if (InBottom && InRight)
      Sum += A * B * At[Width + 1];
    Y[(size_t(Image) * Channels + C) * Samples + I] = Sum;
  }
}

/// The mean of bilinear samples, 2 x 2 of them, in each bin of a region: a thread for each bin and channel.
__device__ __forceinline__ void roiAlign(int Count, int Channels, int Height, int Width, int Bins, const float *__restrict__ Rois,
                                         const float *__restrict__ X, float *__restrict__ Y) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Count)
    return;
  int Column = I % Bins, Row = I / Bins % Bins, C = I / Bins / Bins % Channels, Roi = I / Bins / Bins / Channels;
  const float *Box = Rois + 4 * Roi;
  float Wide = (Box[2] - Box[0]) / Bins, High = (Box[3] - Box[1]) / Bins, Sum = 0;
  const float *Map = X + size_t(C) * Height * Width;
  for (int A = 0; A < 2; ++A)
    for (int B = 0; B < 2; ++B) {
      float V = Box[1] + (Row + (A + 0.5f) / 2) * High, U = Box[0] + (Column + (B + 0.5f) / 2) * Wide;
      if (V < -1 || V > Height || U < -1 || U > Width)
        continue;
      V = fmaxf(V, 0.0f);
      U = fmaxf(U, 0.0f);
      int Top = min(int(V), Height - 1), Left = min(int(U), Width - 1), Bottom = min(Top + 1, Height - 1), Right = min(Left + 1, Width - 1);
      float S = fminf(V, Height - 1.0f) - Top, R = fminf(U, Width - 1.0f) - Left;
      Sum += (1 - S) * ((1 - R) * Map[Top * Width + Left] + R * Map[Top * Width + Right]) +
             S * ((1 - R) * Map[Bottom * Width + Left] + R * Map[Bottom * Width + Right]);
    }
  Y[I] = Sum / 4;
}

/// Columns of a deformable convolution of 3 x 3: a thread for each channel and pixel reads nine places beside the regular ones.
__device__ __forceinline__ void deform(int Channels, int Height, int Width, const float *__restrict__ X, const float *__restrict__ O,
                                       float *__restrict__ Y) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Channels * Height * Width)
    return;
  int Pixel = I % (Height * Width), C = I / (Height * Width), J = Pixel % Width, H = Pixel / Width;
  const float *Map = X + size_t(C) * Height * Width;
#pragma unroll
  for (int K = 0; K < 9; ++K) {
    float V = H + K / 3 - 1 + O[size_t(2 * K) * Height * Width + Pixel], U = J + K % 3 - 1 + O[size_t(2 * K + 1) * Height * Width + Pixel];
    float Value = 0;
    if (V > -1 && V < Height && U > -1 && U < Width) {
      int Top = int(floorf(V)), Left = int(floorf(U));
      float S = V - Top, R = U - Left;
      if (Top >= 0 && Left >= 0)
        Value += (1 - S) * (1 - R) * Map[Top * Width + Left];
      if (Top >= 0 && Left + 1 < Width)
        Value += (1 - S) * R * Map[Top * Width + Left + 1];
      if (Top + 1 < Height && Left >= 0)
        Value += S * (1 - R) * Map[(Top + 1) * Width + Left];
      if (Top + 1 < Height && Left + 1 < Width)
        Value += S * R * Map[(Top + 1) * Width + Left + 1];
    }
    Y[(size_t(C) * 9 + K) * Height * Width + Pixel] = Value;
  }
}

/// The largest of 3 x 3, every other pixel.
__device__ __forceinline__ void maxPool(int Height, int Width, const float *__restrict__ X, float *__restrict__ Y) {
  int J = blockIdx.x * blockDim.x + threadIdx.x, I = blockIdx.y * blockDim.y + threadIdx.y, Plane = blockIdx.z;
  int H = Height / 2, W = Width / 2;
  if (J >= W || I >= H)
    return;
  const float *Map = X + size_t(Plane) * Height * Width;
  float Largest = -INFINITY;
#pragma unroll
  for (int A = -1; A <= 1; ++A)
#pragma unroll
    for (int B = -1; B <= 1; ++B)
      if (2 * I + A >= 0 && 2 * I + A < Height && 2 * J + B >= 0 && 2 * J + B < Width)
        Largest = fmaxf(Largest, Map[(2 * I + A) * Width + 2 * J + B]);
  Y[(size_t(Plane) * H + I) * W + J] = Largest;
}

/// The mean of 2 x 2.
__device__ __forceinline__ void meanPool(int Height, int Width, const float *__restrict__ X, float *__restrict__ Y) {
  int J = blockIdx.x * blockDim.x + threadIdx.x, I = blockIdx.y * blockDim.y + threadIdx.y, Plane = blockIdx.z;
  int H = Height / 2, W = Width / 2;
  if (J >= W || I >= H)
    return;
  const float *Map = X + (size_t(Plane) * Height + 2 * I) * Width + 2 * J;
  Y[(size_t(Plane) * H + I) * W + J] = 0.25f * (Map[0] + Map[1] + Map[Width] + Map[Width + 1]);
}

KERNELS(hashGrid, (int N, int S, float B, float W, IN(P), IN(T), TO(Y)), (int N, int S, float B, float W, IN2(P), IN2(T), TO2(Y)), (N, S, B, W, P, T, Y),
        MANY(CONST(N), CONST(S), CONST(B), CONST(W), DUP(P), DUP(T)))
KERNELS(gridSample, (int C, int H, int W, int S, IN(X), IN(G), TO(Y)), (int C, int H, int W, int S, IN2(X), IN2(G), TO2(Y)), (C, H, W, S, X, G, Y),
        MANY(CONST(C), CONST(H), CONST(W), CONST(S), DUP(X), DUP(G)))
KERNELS(roiAlign, (int N, int C, int H, int W, int B, IN(R), IN(X), TO(Y)), (int N, int C, int H, int W, int B, IN(R), IN2(X), TO2(Y)),
        (N, C, H, W, B, R, X, Y), MANY(CONST(N), CONST(C), CONST(H), CONST(W), CONST(B), CONST(R), DUP(X)))
/// The divisions by numbers of the caller's hide from enzyme_seed that each place is written once: these adjoints are cleared.
__global__ void deformPrimal(int C, int H, int W, IN(X), IN(O), TO(Y)) { deform(C, H, W, X, O, Y); }
__global__ void deformGradient(int C, int H, int W, IN2(X), IN2(O), TO2(Y)) {
  __enzyme_autodiff((void *)deform, CONST(C), CONST(H), CONST(W), DUP(X), DUP(O), enzyme_dupnoneed, Y, DY);
}
__global__ void deformForward(int C, int H, int W, IN2(X), IN2(O), TO2(Y)) {
  __enzyme_fwddiff((void *)deform, CONST(C), CONST(H), CONST(W), DUP(X), DUP(O), enzyme_dupnoneed, Y, DY);
}
KERNELS(maxPool, (int H, int W, IN(X), TO(Y)), (int H, int W, IN2(X), TO2(Y)), (H, W, X, Y), MANY(CONST(H), CONST(W), DUP(X)))
KERNELS(meanPool, (int H, int W, IN(X), TO(Y)), (int H, int W, IN2(X), TO2(Y)), (H, W, X, Y), MANY(CONST(H), CONST(W), DUP(X)))

/// The encoding of places that nobody differentiates by: what a training of the table asks for.
__global__ void tableGradient(int N, int S, float B, float W, IN(P), IN2(T), TO2(Y)) {
  __enzyme_autodiff((void *)hashGrid, CONST(N), CONST(S), CONST(B), CONST(W), CONST(P), DUP(T), enzyme_seed, Y, DY);
}
__global__ void tableForward(int N, int S, float B, float W, IN(P), IN2(T), TO2(Y)) {
  __enzyme_fwddiff((void *)hashGrid, CONST(N), CONST(S), CONST(B), CONST(W), CONST(P), DUP(T), enzyme_dupnoneed, Y, DY);
}

} // namespace gather

using namespace gather;

int main(int Count, char **Words) {
  bench::Options Given(Count, Words);
  bench::Rows Table(Given);
  int Points = Given.size("points", 60, 1 << 20), Levels = Given.size("levels", 3, 16), Slots = Given.size("slots", 64, 1 << 19);
  int Channels = Given.size("channels", 3, 64), Side = Given.size("side", 13, 256), Images = Given.size("images", 2, 4);
  int Samples = Given.size("samples", 70, 1 << 16), Rois = Given.size("rois", 3, 512), Bins = Given.size("bins", 3, 7);
  int Planes = Given.size("planes", 3, 256);
  // What the constructors of the programs ask for.
  { bench::Program Known("", "", Given); }
  Given.finish();
  // The finest level has 2048 cells each way, or few enough for a difference quotient to stay in one.
  float Growth = (Given.number("large", 0) != 0 ? 7.0f : 3.0f) / (Levels > 1 ? Levels - 1 : 1);
  size_t Pixels = size_t(Side) * Side;
  dim3 Threads(32, 8), Tiles((Side / 2 + 31) / 32, (Side / 2 + 7) / 8, Planes);

  if (Table.wanted()) {
    bench::Program P("hash grid", bench::by(Points, Levels), Given);
    std::vector<float> Places(3 * size_t(Points));
    for (float &X : Places)
      X = float(Table.uniform(0, 1));
    float *At = bench::upload(Places);
    bench::Pair T = Table.input(size_t(Levels) * Slots * 2), Y = Table.output(size_t(Levels) * Points * 2);
    dim3 Blocks((Points + 255) / 256, Levels);
    P.Primal = [=] { hashGridPrimal<<<Blocks, 256>>>(Points, Slots, 16, Growth, At, T.X, Y.X); };
    P.Gradient = [=] { tableGradient<<<Blocks, 256>>>(Points, Slots, 16, Growth, At, T.X, T.D, Y.X, Y.D); };
    P.Forward = [=] { tableForward<<<Blocks, 256>>>(Points, Slots, 16, Growth, At, T.X, T.D, Y.X, Y.D); };
    P.Hand = [=] { hand::hashGridTable<<<Blocks, 256>>>(Points, Slots, 16, Growth, At, T.D, Y.D); };
    P.kernels((const void *)hashGridPrimal, (const void *)tableGradient, (const void *)hand::hashGridTable);
    Table.finish(P, {T}, Y);
    cudaFree(At);
  }
  if (Table.wanted()) {
    bench::Program P("hash grid, of the places too", bench::by(Points, Levels), Given);
    bench::Pair X = Table.input(3 * size_t(Points), 0, 1), T = Table.input(size_t(Levels) * Slots * 2), Y = Table.output(size_t(Levels) * Points * 2);
    dim3 Blocks((Points + 255) / 256, Levels);
    P.Primal = [=] { hashGridPrimal<<<Blocks, 256>>>(Points, Slots, 16, Growth, X.X, T.X, Y.X); };
    P.Gradient = [=] { hashGridGradient<<<Blocks, 256>>>(Points, Slots, 16, Growth, X.X, X.D, T.X, T.D, Y.X, Y.D); };
    P.Forward = [=] { hashGridForward<<<Blocks, 256>>>(Points, Slots, 16, Growth, X.X, X.D, T.X, T.D, Y.X, Y.D); };
    P.Hand = [=] { hand::hashGrid<<<Blocks, 256>>>(Points, Slots, 16, Growth, X.X, X.D, T.X, T.D, Y.D); };
    KERNEL_OF(hashGrid);
    // A step that does not leave its cell.
    Table.Step = 1e-5;
    Table.DifferencesTolerance = 0.5;
    Table.finish(P, {X, T}, Y);
  }
  if (Table.wanted()) {
    bench::Program P("grid sample", bench::by(size_t(Images) * Channels * Side, Side), Given);
    bench::Pair X = Table.input(Images * Channels * Pixels), G = Table.input(size_t(Images) * Samples * 2, -1.1, 1.1),
                Y = Table.output(size_t(Images) * Channels * Samples);
    dim3 Blocks((Samples + 255) / 256, Images);
    P.Primal = [=] { gridSamplePrimal<<<Blocks, 256>>>(Channels, Side, Side, Samples, X.X, G.X, Y.X); };
    P.Gradient = [=] { gridSampleGradient<<<Blocks, 256>>>(Channels, Side, Side, Samples, X.X, X.D, G.X, G.D, Y.X, Y.D); };
    P.Forward = [=] { gridSampleForward<<<Blocks, 256>>>(Channels, Side, Side, Samples, X.X, X.D, G.X, G.D, Y.X, Y.D); };
    P.Hand = [=] { hand::gridSample<<<Blocks, 256>>>(Channels, Side, Side, Samples, X.X, X.D, G.X, G.D, Y.D); };
    KERNEL_OF(gridSample);
    Table.Step = 1e-4;
    Table.DifferencesTolerance = 0.2;
    Table.finish(P, {X, G}, Y);
  }
  Table.Step = 2e-2;
  Table.DifferencesTolerance = 2e-2;
  if (Table.wanted()) {
    bench::Program P("RoI align", bench::by(size_t(Rois) * Channels, Bins * Bins), Given);
    std::vector<float> Boxes;
    for (int I = 0; I < Rois; ++I) {
      float Left = float(Table.uniform(-2, Side * 0.7)), Top = float(Table.uniform(-2, Side * 0.7));
      Boxes.insert(Boxes.end(), {Left, Top, Left + float(Table.uniform(3, Side * 0.35)), Top + float(Table.uniform(3, Side * 0.35))});
    }
    float *Of = bench::upload(Boxes);
    int N = Rois * Channels * Bins * Bins, Blocks = (N + 255) / 256;
    bench::Pair X = Table.input(Channels * Pixels), Y = Table.output(N);
    P.Primal = [=] { roiAlignPrimal<<<Blocks, 256>>>(N, Channels, Side, Side, Bins, Of, X.X, Y.X); };
    P.Gradient = [=] { roiAlignGradient<<<Blocks, 256>>>(N, Channels, Side, Side, Bins, Of, X.X, X.D, Y.X, Y.D); };
    P.Forward = [=] { roiAlignForward<<<Blocks, 256>>>(N, Channels, Side, Side, Bins, Of, X.X, X.D, Y.X, Y.D); };
    P.Hand = [=] { hand::roiAlign<<<Blocks, 256>>>(N, Channels, Side, Side, Bins, Of, X.D, Y.D); };
    KERNEL_OF(roiAlign);
    Table.finish(P, {X}, Y);
    cudaFree(Of);
  }
  if (Table.wanted()) {
    bench::Program P("deformable convolution", bench::by(size_t(Channels) * Side, Side), Given);
    bench::Pair X = Table.input(Channels * Pixels), O = Table.input(18 * Pixels, -1.5, 1.5), Y = Table.output(9 * Channels * Pixels);
    int N = int(Channels * Pixels), Blocks = (N + 255) / 256, Offsets = (9 * int(Pixels) + 255) / 256;
    P.Primal = [=] { deformPrimal<<<Blocks, 256>>>(Channels, Side, Side, X.X, O.X, Y.X); };
    P.Gradient = [=] { deformGradient<<<Blocks, 256>>>(Channels, Side, Side, X.X, X.D, O.X, O.D, Y.X, Y.D); };
    P.Forward = [=] { deformForward<<<Blocks, 256>>>(Channels, Side, Side, X.X, X.D, O.X, O.D, Y.X, Y.D); };
    P.Hand = [=] {
      hand::deform<<<Blocks, 256>>>(Channels, Side, Side, X.D, O.X, Y.D);
      hand::deformOffsets<<<Offsets, 256>>>(Channels, Side, Side, X.X, O.X, O.D, Y.D);
    };
    KERNEL_OF(deform);
    Table.Step = 1e-4;
    Table.DifferencesTolerance = 0.2;
    Table.finish(P, {X, O}, Y);
  }
  if (Table.wanted()) {
    bench::Program P("max pooling", bench::by(size_t(Planes) * Side, Side), Given);
    // No number twice: of equal ones each gets a part, and by hand the first gets all.
    std::vector<float> Start(Planes * Pixels);
    for (size_t I = 0; I < Start.size(); ++I)
      Start[I] = float(I * 0x9e3779b1u % (1u << 24)) * 0x1p-23f - 1;
    bench::Pair X = Table.input(Start), Y = Table.output(size_t(Planes) * (Side / 2) * (Side / 2));
    P.Primal = [=] { maxPoolPrimal<<<Tiles, Threads>>>(Side, Side, X.X, Y.X); };
    P.Gradient = [=] { maxPoolGradient<<<Tiles, Threads>>>(Side, Side, X.X, X.D, Y.X, Y.D); };
    P.Forward = [=] { maxPoolForward<<<Tiles, Threads>>>(Side, Side, X.X, X.D, Y.X, Y.D); };
    P.Hand = [=] { hand::maxPool<<<Tiles, Threads>>>(Side, Side, X.X, X.D, Y.D); };
    KERNEL_OF(maxPool);
    Table.Step = 1e-4;
    Table.DifferencesTolerance = 0.2;
    Table.finish(P, {X}, Y);
  }
  Table.Step = 2e-2;
  Table.DifferencesTolerance = 2e-2;
  if (Table.wanted()) {
    bench::Program P("mean pooling", bench::by(size_t(Planes) * Side, Side), Given);
    bench::Pair X = Table.input(Planes * Pixels), Y = Table.output(size_t(Planes) * (Side / 2) * (Side / 2));
    P.Primal = [=] { meanPoolPrimal<<<Tiles, Threads>>>(Side, Side, X.X, Y.X); };
    P.Gradient = [=] { meanPoolGradient<<<Tiles, Threads>>>(Side, Side, X.X, X.D, Y.X, Y.D); };
    P.Forward = [=] { meanPoolForward<<<Tiles, Threads>>>(Side, Side, X.X, X.D, Y.X, Y.D); };
    P.Hand = [=] { hand::meanPool<<<Tiles, Threads>>>(Side, Side, X.D, Y.D); };
    KERNEL_OF(meanPool);
    Table.finish(P, {X}, Y);
  }
  return Table.Status;
}
