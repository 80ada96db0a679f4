//===- XsBench.cu - macroscopic cross sections, looked up by event ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inner loop of Monte Carlo neutron transport, after the description of the
// XSBench proxy application (J. Tramm et al., PHYSOR 2014): a particle of random
// energy flies through one of 12 materials; its macroscopic cross sections are
// sums over the material's nuclides of density times microscopic cross section,
// which is interpolated in the nuclide's table of grid points. A unionised grid
// tells with one binary search where all nuclides' tables are to be read.
//
// Differentiated: the five cross sections of every event, by all of the tables.
//
//===----------------------------------------------------------------------===//

#include "GpuBench.h"

#include <algorithm>

namespace xsbench {

constexpr int Channels = 5;
constexpr int Materials = 12;

/// A row of a nuclide's table: an energy and the cross sections there.
struct GridPoint {
  double Energy;
  double Sigma[Channels];
};

/// What no derivative flows through.
struct Tables {
  long UnionPoints;
  int Nuclides, GridPoints, MostNuclides, Events;
  const double *UnionEnergies;
  /// For each point of the unionised grid and each nuclide the row below it.
  const int *Index;
  const int *NuclideCount, *NuclideIds;
  const double *Densities;
};

/// The last of Count sorted numbers that is not above Wanted, at most Count - 2.
__host__ __device__ inline long below(const double *Sorted, long Count, double Wanted) {
  long Low = 0, High = Count - 1;
  while (High - Low > 1) {
    long Middle = Low + (High - Low) / 2;
    if (Sorted[Middle] > Wanted)
      High = Middle;
    else
      Low = Middle;
  }
  return Low;
}

/// The cross sections that an event meets, barns per length.
__device__ __forceinline__ void lookup(Tables T, int Event, const GridPoint *__restrict__ Grid,
                                       double *__restrict__ Sum) {
  uint64_t Bits = bench::scramble(2 * uint64_t(Event));
  double Energy = double(Bits >> 11) * 0x1p-53;
  // Fuel, with the most nuclides, is met by one event in seven.
  double Choice = double(bench::scramble(Bits) >> 11) * 0x1p-53;
  int Material = Choice < 1.0 / 7 ? 0 : 1 + int((Choice - 1.0 / 7) * (7.0 / 6) * (Materials - 1));

  long Point = below(T.UnionEnergies, T.UnionPoints, Energy);
#pragma unroll
  for (int C = 0; C < Channels; ++C)
    Sum[C] = 0;
  int Count = T.NuclideCount[Material];
  for (int I = 0; I < Count; ++I) {
    int Nuclide = T.NuclideIds[Material * T.MostNuclides + I];
    double Density = T.Densities[Material * T.MostNuclides + I];
    int Row = T.Index[Point * T.Nuclides + Nuclide];
    const GridPoint *Lower = Grid + long(Nuclide) * T.GridPoints + Row;
    const GridPoint *Upper = Lower + 1;
    double Part = (Upper->Energy - Energy) / (Upper->Energy - Lower->Energy);
#pragma unroll
    for (int C = 0; C < Channels; ++C)
      Sum[C] += Density * (Upper->Sigma[C] - Part * (Upper->Sigma[C] - Lower->Sigma[C]));
  }
}

/// Sigma[c * Events + event].
__device__ __forceinline__ void macroscopic(Tables T, const GridPoint *__restrict__ Grid, double *__restrict__ Sigma) {
  int Event = blockIdx.x * blockDim.x + threadIdx.x;
  if (Event >= T.Events)
    return;
  double Sum[Channels];
  lookup(T, Event, Grid, Sum);
#pragma unroll
  for (int C = 0; C < Channels; ++C)
    Sigma[long(C) * T.Events + Event] = Sum[C];
}

__global__ void primalKernel(Tables T, const GridPoint *Grid, double *Sigma) { macroscopic(T, Grid, Sigma); }

__global__ void gradientKernel(Tables T, const GridPoint *Grid, GridPoint *DGrid, double *Sigma, double *DSigma) {
  __enzyme_autodiff((void *)macroscopic, enzyme_const, T, enzyme_dup, Grid, DGrid, enzyme_dup, Sigma, DSigma);
}

__global__ void forwardKernel(Tables T, const GridPoint *Grid, GridPoint *DGrid, double *Sigma, double *DSigma) {
  __enzyme_fwddiff((void *)macroscopic, enzyme_const, T, enzyme_dup, Grid, DGrid, enzyme_dup, Sigma, DSigma);
}

// --outputs=1, as the original does it: of the five sums, which stay with their thread, the gradient of the
// first is asked for. The others say which is the largest.

__device__ inline int largest(const double *Sum) {
  int Best = 0;
  double Most = Sum[0];
#pragma unroll
  for (int C = 1; C < Channels; ++C)
    if (Sum[C] > Most) {
      Most = Sum[C];
      Best = C;
    }
  return Best;
}

__global__ void primalOfOne(Tables T, const GridPoint *Grid, double *Sigma, int *Best) {
  int Event = blockIdx.x * blockDim.x + threadIdx.x;
  if (Event >= T.Events)
    return;
  double Sum[Channels];
  lookup(T, Event, Grid, Sum);
  Sigma[Event] = Sum[0];
  Best[Event] = largest(Sum);
}

__global__ void gradientOfOne(Tables T, const GridPoint *Grid, GridPoint *DGrid, double *Sigma, double *DSigma,
                              int *Best) {
  int Event = blockIdx.x * blockDim.x + threadIdx.x;
  if (Event >= T.Events)
    return;
  double Sum[Channels], Adjoint[Channels] = {DSigma[Event]};
  __enzyme_autodiff((void *)lookup, enzyme_const, T, enzyme_const, Event, enzyme_dup, Grid, DGrid, enzyme_dup, Sum,
                    Adjoint);
  DSigma[Event] = 0;
  Sigma[Event] = Sum[0];
  Best[Event] = largest(Sum);
}

__global__ void forwardOfOne(Tables T, const GridPoint *Grid, GridPoint *DGrid, double *Sigma, double *DSigma,
                             int *Best) {
  int Event = blockIdx.x * blockDim.x + threadIdx.x;
  if (Event >= T.Events)
    return;
  double Sum[Channels], Tangent[Channels];
  __enzyme_fwddiff((void *)lookup, enzyme_const, T, enzyme_const, Event, enzyme_dup, Grid, DGrid, enzyme_dup, Sum,
                   Tangent);
  Sigma[Event] = Sum[0];
  DSigma[Event] = Tangent[0];
  Best[Event] = largest(Sum);
}

/// Index[point][nuclide], one thread per entry.
__global__ void indexKernel(long Points, int Nuclides, int GridPoints, const double *UnionEnergies,
                            const double *NuclideEnergies, int *Index) {
  long I = blockIdx.x * long(blockDim.x) + threadIdx.x;
  if (I >= Points * Nuclides)
    return;
  int Nuclide = int(I % Nuclides);
  Index[I] = int(below(NuclideEnergies + long(Nuclide) * GridPoints, GridPoints, UnionEnergies[I / Nuclides]));
}

} // namespace xsbench

using namespace xsbench;

int main(int Count, char **Words) {
  bench::Options Settings(Count, Words);
  Tables T;
  T.Nuclides = Settings.size("nuclides", 24, 355);
  T.GridPoints = Settings.size("gridpoints", 64, 11303);
  T.Events = Settings.size("events", 512, 17000000);
  int Fuel = Settings.size("fuel", 20, 321);
  int Threads = int(Settings.number("threads", 256));
  const bool OfOne = Settings.number("outputs", Channels) == 1;
  bench::Program Program(OfOne ? "XSBench, one output" : "XSBench",
                         std::to_string(T.Events) + " events, " + std::to_string(T.Nuclides) + " x " +
                             std::to_string(T.GridPoints),
                         Settings);
  Settings.finish();

  bench::Random Numbers(1);
  long Rows = long(T.Nuclides) * T.GridPoints;
  std::vector<double> NuclideEnergies(Rows);
  std::vector<GridPoint> Grid(Rows);
  for (int N = 0; N < T.Nuclides; ++N) {
    auto First = NuclideEnergies.begin() + long(N) * T.GridPoints;
    for (int I = 0; I < T.GridPoints; ++I)
      First[I] = Numbers.uniform();
    // All tables reach over all energies, so that no event needs extrapolation.
    First[0] = 0;
    First[1] = 1;
    std::sort(First, First + T.GridPoints);
    // Neighbours keep a distance, or the interpolation's slope is all noise.
    for (int I = 0; I < T.GridPoints; ++I)
      First[I] = 0.5 * First[I] + 0.5 * I / (T.GridPoints - 1.0);
    for (int I = 0; I < T.GridPoints; ++I) {
      GridPoint &P = Grid[long(N) * T.GridPoints + I];
      P.Energy = First[I];
      for (double &S : P.Sigma)
        S = Numbers.uniform();
    }
  }
  std::vector<double> Union = NuclideEnergies;
  std::sort(Union.begin(), Union.end());
  T.UnionPoints = Rows;

  std::vector<int> Counts(Materials);
  T.MostNuclides = Fuel;
  for (int M = 0; M < Materials; ++M)
    Counts[M] = M ? std::min(Fuel, 4 + int(Numbers.below(24))) : Fuel;
  std::vector<int> Ids(size_t(Materials) * Fuel);
  std::vector<double> Densities(Ids.size());
  for (int M = 0; M < Materials; ++M) {
    std::vector<int> All(T.Nuclides);
    for (int N = 0; N < T.Nuclides; ++N)
      All[N] = N;
    for (int I = 0; I < Counts[M]; ++I) {
      std::swap(All[I], All[I + Numbers.below(T.Nuclides - I)]);
      Ids[size_t(M) * Fuel + I] = All[I];
      Densities[size_t(M) * Fuel + I] = Numbers.uniform(0.1, 1);
    }
  }

  T.UnionEnergies = bench::upload(Union);
  T.NuclideCount = bench::upload(Counts);
  T.NuclideIds = bench::upload(Ids);
  T.Densities = bench::upload(Densities);
  int *Index = bench::allocate<int>(Rows * T.Nuclides);
  double *Energies = bench::upload(NuclideEnergies);
  indexKernel<<<unsigned((Rows * T.Nuclides + 255) / 256), 256>>>(Rows, T.Nuclides, T.GridPoints, T.UnionEnergies,
                                                                  Energies, Index);
  bench::require(cudaDeviceSynchronize(), "indexKernel");
  cudaFree(Energies);
  T.Index = Index;

  GridPoint *DeviceGrid = bench::upload(Grid), *Shadow = bench::allocate<GridPoint>(Rows);
  size_t Results = size_t(OfOne ? 1 : Channels) * T.Events;
  double *Sigma = bench::allocate<double>(Results), *DSigma = bench::allocate<double>(Results);
  int *Best = bench::allocate<int>(T.Events);
  // Energies are moved less than the distance of two of them.
  Program.field((double *)DeviceGrid, (double *)Shadow, Rows * (sizeof(GridPoint) / 8), true, false, 0.1 / T.GridPoints);
  Program.field(Sigma, DSigma, Results, false, true);
  Program.Step = 1e-3;
  // Neighbouring energies of a large table are close: interpolation bends sharply.
  Program.DifferencesTolerance = 2e-4;

  unsigned Blocks = unsigned((T.Events + Threads - 1) / Threads);
  Program.Primal = [=] { primalKernel<<<Blocks, Threads>>>(T, DeviceGrid, Sigma); };
  Program.Gradient = [=] { gradientKernel<<<Blocks, Threads>>>(T, DeviceGrid, Shadow, Sigma, DSigma); };
  Program.Forward = [=] { forwardKernel<<<Blocks, Threads>>>(T, DeviceGrid, Shadow, Sigma, DSigma); };
  if (OfOne) {
    Program.Primal = [=] { primalOfOne<<<Blocks, Threads>>>(T, DeviceGrid, Sigma, Best); };
    Program.Gradient = [=] { gradientOfOne<<<Blocks, Threads>>>(T, DeviceGrid, Shadow, Sigma, DSigma, Best); };
    Program.Forward = [=] { forwardOfOne<<<Blocks, Threads>>>(T, DeviceGrid, Shadow, Sigma, DSigma, Best); };
  }
  return Program.run();
}
