//===- Splat.cu - the inner loop of a Gaussian-splat rasteriser ------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After B. Kerbl et al. (ACM Trans. Graph. 2023): the splats are projected and sorted;
// a block draws a tile of 16 x 16 pixels from its list, front to back, in batches that
// pass through shared memory. A pixel skips what is too faint and stops when almost
// nothing shines through any more.
//
// Differentiated: the image by centre, inverse covariance, opacity and colour of all
// splats.
//
//===----------------------------------------------------------------------===//

#include "GpuBench.h"

#include <algorithm>

namespace splat {

constexpr int Edge = 16, Batch = Edge * Edge;
/// Of a splat: x, y; xx, xy, yy of the inverse covariance; opacity; red, green, blue.
constexpr int Numbers = 9;

/// Image[channel][pixel]; Splats[splat][Numbers]; Lists[Starts[tile]..Starts[tile + 1])
/// are the tile's splats. What covers less than Faint is skipped; a pixel is done when
/// less than Opaque shines through.
__device__ __forceinline__ void draw(int Width, float Faint, float Opaque, const int *__restrict__ Starts, const int *__restrict__ Lists,
                                     const float *__restrict__ Splats, float *__restrict__ Image) {
  __shared__ float Tile[Batch][Numbers];
  int Thread = threadIdx.y * Edge + threadIdx.x;
  int X = blockIdx.x * Edge + threadIdx.x, Y = blockIdx.y * Edge + threadIdx.y;
  int TileId = blockIdx.y * gridDim.x + blockIdx.x;
  int First = Starts[TileId], End = Starts[TileId + 1];
  float Through = 1, Red = 0, Green = 0, Blue = 0;
  bool Done = false;
  for (int Base = First; Base < End; Base += Batch) {
    int Count = min(Batch, End - Base);
    __syncthreads();
    if (Thread < Count) {
      const float *From = Splats + Lists[Base + Thread] * Numbers;
#pragma unroll
      for (int N = 0; N < Numbers; ++N)
        Tile[Thread][N] = From[N];
    }
    __syncthreads();
    for (int I = 0; I < Count && !Done; ++I) {
      float DX = Tile[I][0] - float(X), DY = Tile[I][1] - float(Y);
      float Power = -0.5f * (Tile[I][2] * DX * DX + Tile[I][4] * DY * DY) - Tile[I][3] * DX * DY;
      if (Power > 0)
        continue;
      float Alpha = fminf(0.99f, Tile[I][5] * expf(Power));
      if (Alpha < Faint)
        continue;
      float Left = Through * (1 - Alpha);
      if (Left < Opaque) {
        Done = true;
        break;
      }
      float Share = Alpha * Through;
      Red += Share * Tile[I][6];
      Green += Share * Tile[I][7];
      Blue += Share * Tile[I][8];
      Through = Left;
    }
  }
  int Pixels = Width * gridDim.y * Edge, Pixel = Y * Width + X;
  Image[Pixel] = Red;
  Image[Pixels + Pixel] = Green;
  Image[2 * Pixels + Pixel] = Blue;
}

__global__ void primalKernel(int Width, float Faint, float Opaque, const int *Starts, const int *Lists, const float *Splats, float *Image) {
  draw(Width, Faint, Opaque, Starts, Lists, Splats, Image);
}
// Four blocks on a multiprocessor: 64 registers.
__global__ void __launch_bounds__(Batch, 4) gradientKernel(int Width, float Faint, float Opaque, const int *Starts, const int *Lists, const float *Splats, float *DSplats,
                               float *Image, float *DImage) {
  __enzyme_autodiff((void *)draw, enzyme_const, Width, enzyme_const, Faint, enzyme_const, Opaque, enzyme_const, Starts, enzyme_const, Lists, enzyme_dup, Splats,
                    DSplats, enzyme_dup, Image, DImage);
}
__global__ void forwardKernel(int Width, float Faint, float Opaque, const int *Starts, const int *Lists, const float *Splats, float *DSplats,
                              float *Image, float *DImage) {
  __enzyme_fwddiff((void *)draw, enzyme_const, Width, enzyme_const, Faint, enzyme_const, Opaque, enzyme_const, Starts, enzyme_const, Lists, enzyme_dup, Splats,
                   DSplats, enzyme_dup, Image, DImage);
}

} // namespace splat

#include "hand/Splat.h"

int main(int Count, char **Words) {
  using namespace splat;
  bench::Options Settings(Count, Words);
  int Tiles = Settings.size("tiles", 2, 64), Splats = Settings.size("splats", 40, 200000);
  // At the thresholds the image jumps, and differences see that where derivatives do
  // not: small sizes, which are for checking, have almost none.
  bool Large = Settings.number("large", 0) != 0;
  float Faint = float(Settings.number("faint", Large ? 1.0 / 255 : 1e-12));
  float Opaque = float(Settings.number("opaque", Large ? 1e-4 : 1e-12));
  bench::Program Program("Gaussian splats",
                         std::to_string(Splats) + " on " + std::to_string(Tiles * Edge) + "^2", Settings);
  Settings.finish();

  // Positions in drawing order: the lists are then sorted by themselves.
  int Width = Tiles * Edge;
  bench::Random Randoms(8);
  std::vector<float> All(size_t(Splats) * splat::Numbers);
  std::vector<std::vector<int>> PerTile(size_t(Tiles) * Tiles);
  for (int S = 0; S < Splats; ++S) {
    float *Of = &All[size_t(S) * splat::Numbers];
    double X = Randoms.uniform(0, Width), Y = Randoms.uniform(0, Width);
    double Long = Randoms.uniform(1.5, 6), Short = Randoms.uniform(1.5, 6), Turn = Randoms.uniform(0, 3.14159);
    double C = std::cos(Turn), N = std::sin(Turn), A = 1 / (Long * Long), B = 1 / (Short * Short);
    double Values[] = {X, Y, A * C * C + B * N * N, (A - B) * C * N, A * N * N + B * C * C,
                       Randoms.uniform(0.2, 0.9), Randoms.uniform(), Randoms.uniform(), Randoms.uniform()};
    std::copy(Values, Values + splat::Numbers, Of);
    // Three standard deviations.
    double Reach = 3 * std::max(Long, Short);
    auto At = [&](double Position) { return std::min(Tiles - 1, std::max(0, int(Position / Edge))); };
    for (int TY = At(Y - Reach); TY <= At(Y + Reach); ++TY)
      for (int TX = At(X - Reach); TX <= At(X + Reach); ++TX)
        PerTile[size_t(TY) * Tiles + TX].push_back(S);
  }
  std::vector<int> Starts(1, 0), Lists;
  for (auto &List : PerTile) {
    Lists.insert(Lists.end(), List.begin(), List.end());
    Starts.push_back(int(Lists.size()));
  }
  int *DeviceStarts = bench::upload(Starts), *DeviceLists = bench::upload(Lists);
  size_t Size = All.size(), Pixels = size_t(Width) * Width;
  float *DeviceSplats = bench::upload(All), *DSplats = bench::allocate<float>(Size);
  float *Image = bench::allocate<float>(3 * Pixels), *DImage = bench::allocate<float>(3 * Pixels);
  Program.field(DeviceSplats, DSplats, Size, true, false, 1e-2);
  Program.field(Image, DImage, 3 * Pixels, false, true);
  Program.Step = 0.02;
  Program.Tolerance = 1e-4;
  Program.DifferencesTolerance = Large ? 1 : 5e-3;

  dim3 Grid(Tiles, Tiles), Block(Edge, Edge);
  Program.Threads = Pixels;
  Program.Primal = [=] { primalKernel<<<Grid, Block>>>(Width, Faint, Opaque, DeviceStarts, DeviceLists, DeviceSplats, Image); };
  Program.Gradient = [=] {
    gradientKernel<<<Grid, Block>>>(Width, Faint, Opaque, DeviceStarts, DeviceLists, DeviceSplats, DSplats, Image, DImage);
  };
  Program.Forward = [=] {
    forwardKernel<<<Grid, Block>>>(Width, Faint, Opaque, DeviceStarts, DeviceLists, DeviceSplats, DSplats, Image, DImage);
  };
  Program.Hand = [=] { hand::draw<<<Grid, Block>>>(Width, Faint, Opaque, DeviceStarts, DeviceLists, DeviceSplats, DSplats, DImage); };
  Program.kernels((const void *)primalKernel, (const void *)gradientKernel, (const void *)hand::draw);
  return Program.run();
}
