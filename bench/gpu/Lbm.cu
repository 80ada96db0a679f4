//===- Lbm.cu - a lattice-Boltzmann flow, D3Q19 ----------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lid-driven cavity as in Parboil's and SPEC's LBM (J. Stratton et al., IMPACT-12-01):
// 19 particle densities per cell; a step relaxes a fluid cell's densities towards
// equilibrium (BGK), sends those of a wall back where they came from, and streams
// them to the neighbours. Single precision, one thread per cell, 120 x 120 x 150
// cells, 150 steps.
//
// Differentiated: all densities after the last step, by all densities before the
// first. Two ways, since a gradient of many steps has to remember each:
//
// --tape=0  The host keeps the state before each step; the gradient of a step
//           starts from it (__enzyme_autodiff, the output's values not needed).
// --tape=1  The host keeps what the compiler says a step needs: __enzyme_augmentfwd
//           gives a tape per thread, __enzyme_reverse takes it. 17 bytes, which lie in
//           the struct that the program has for them (docs/SplitMode.md, in place).
//
//===----------------------------------------------------------------------===//

#include "GpuBench.h"

/// What one thread keeps of one step: density and velocity, and room to spare.
struct Kept {
  char Bytes[20];
};
extern __device__ int enzyme_allocated;
__device__ Kept __enzyme_augmentfwd(void *, int, size_t, int, const float *, float *, int, float *, float *, int,
                                    const unsigned char *);
__device__ void __enzyme_reverse(void *, int, size_t, int, const float *, float *, int, float *, float *, int,
                                 const unsigned char *, Kept);

namespace lbm {

constexpr int Directions = 19;
// A row of cells is as long as its block, and one cell of margin surrounds the box:
// what streams out of it lands there.
#ifndef LBM_X
#define LBM_X 120
#define LBM_Y 120
#define LBM_Z 150
#endif
constexpr int SizeX = LBM_X, SizeY = LBM_Y, SizeZ = LBM_Z;
constexpr int StrideY = (SizeX + 8 + 31) / 32 * 32, StrideZ = StrideY * SizeY;
constexpr int Margin = StrideZ + StrideY + 32;
constexpr int Cells = StrideZ * SizeZ + 2 * Margin;
constexpr float Omega = 1.85f;
constexpr float LidX = 0.005f, LidY = 0.002f;

enum CellKind : unsigned char { Fluid, Wall, Lid };

struct Direction {
  int X, Y, Z;
  float Weight;
};
/// Opposite directions are neighbours in the list: 2k+1 and 2k+2.
__host__ __device__ constexpr Direction direction(int I) {
  constexpr Direction All[Directions] = {
      {0, 0, 0, 1 / 3.f},    {1, 0, 0, 1 / 18.f},   {-1, 0, 0, 1 / 18.f}, {0, 1, 0, 1 / 18.f},  {0, -1, 0, 1 / 18.f},
      {0, 0, 1, 1 / 18.f},   {0, 0, -1, 1 / 18.f},  {1, 1, 0, 1 / 36.f},  {-1, -1, 0, 1 / 36.f}, {1, -1, 0, 1 / 36.f},
      {-1, 1, 0, 1 / 36.f},  {1, 0, 1, 1 / 36.f},   {-1, 0, -1, 1 / 36.f}, {1, 0, -1, 1 / 36.f}, {-1, 0, 1, 1 / 36.f},
      {0, 1, 1, 1 / 36.f},   {0, -1, -1, 1 / 36.f}, {0, 1, -1, 1 / 36.f}, {0, -1, 1, 1 / 36.f}};
  return All[I];
}
__host__ __device__ constexpr int opposite(int I) { return I == 0 ? 0 : I % 2 ? I + 1 : I - 1; }
__host__ __device__ constexpr int reach(int I) {
  return direction(I).X + direction(I).Y * StrideY + direction(I).Z * StrideZ;
}

/// Component times Value, for components of -1, 0 and 1.
__device__ __forceinline__ float along(int Component, float Value) {
  return Component == 0 ? 0 : Component > 0 ? Value : -Value;
}

/// One step of one cell: From and To hold Directions arrays of Cells numbers.
__device__ __forceinline__ void step(const float *__restrict__ From, float *__restrict__ To,
                                     const unsigned char *__restrict__ Kinds) {
  int Cell = Margin + threadIdx.x + blockIdx.x * StrideY + blockIdx.y * StrideZ;
  float F[Directions];
#pragma unroll
  for (int I = 0; I < Directions; ++I)
    F[I] = From[I * Cells + Cell];
  unsigned char Kind = Kinds[Cell];
  if (Kind == Wall) {
#pragma unroll
    for (int I = 0; I < Directions; ++I)
      To[opposite(I) * Cells + Cell + reach(opposite(I))] = F[I];
    return;
  }
  float Density = 0, X = 0, Y = 0, Z = 0;
#pragma unroll
  for (int I = 0; I < Directions; ++I) {
    Density += F[I];
    X += along(direction(I).X, F[I]);
    Y += along(direction(I).Y, F[I]);
    Z += along(direction(I).Z, F[I]);
  }
  float PerDensity = 1 / Density;
  X *= PerDensity;
  Y *= PerDensity;
  Z *= PerDensity;
  if (Kind == Lid) {
    X = LidX;
    Y = LidY;
    Z = 0;
  }
  float Square = 1.5f * (X * X + Y * Y + Z * Z);
#pragma unroll
  for (int I = 0; I < Directions; ++I) {
    float Along = along(direction(I).X, X) + along(direction(I).Y, Y) + along(direction(I).Z, Z);
    float Rest = direction(I).Weight * Density * (1 + Along * (4.5f * Along + 3) - Square);
    To[I * Cells + Cell + reach(I)] = F[I] + Omega * (Rest - F[I]);
  }
}

__global__ void primalKernel(const float *From, float *To, const unsigned char *Kinds) { step(From, To, Kinds); }

__global__ void gradientKernel(const float *From, float *DFrom, float *To, float *DTo, const unsigned char *Kinds) {
  __enzyme_autodiff((void *)step, enzyme_dup, From, DFrom, enzyme_dupnoneed, To, DTo, enzyme_const, Kinds);
}

__global__ void forwardKernel(const float *From, float *DFrom, float *To, float *DTo, const unsigned char *Kinds) {
  __enzyme_fwddiff((void *)step, enzyme_dup, From, DFrom, enzyme_dup, To, DTo, enzyme_const, Kinds);
}

__global__ void augmentedKernel(const float *From, float *DFrom, float *To, float *DTo, const unsigned char *Kinds,
                                Kept *Tape) {
  int Thread = threadIdx.x + SizeX * (blockIdx.x + SizeY * blockIdx.y);
  Tape[Thread] = __enzyme_augmentfwd((void *)step, enzyme_allocated, sizeof(Kept), enzyme_dup, From, DFrom, enzyme_dup,
                                     To, DTo, enzyme_const, Kinds);
}
__global__ void reverseKernel(const float *From, float *DFrom, float *To, float *DTo, const unsigned char *Kinds,
                              const Kept *Tape) {
  int Thread = threadIdx.x + SizeX * (blockIdx.x + SizeY * blockIdx.y);
  __enzyme_reverse((void *)step, enzyme_allocated, sizeof(Kept), enzyme_dup, From, DFrom, enzyme_dup, To, DTo,
                   enzyme_const, Kinds, Tape[Thread]);
}

} // namespace lbm

using namespace lbm;

int main(int Count, char **Words) {
  bench::Options Settings(Count, Words);
  int Steps = Settings.size("steps", 2, 150);
  bool Taped = Settings.number("tape", 0) != 0;
  bench::Program Program(Taped ? "LBM (tape)" : "LBM (states)",
                         std::to_string(SizeX) + "x" + std::to_string(SizeY) + "x" + std::to_string(SizeZ) + ", " +
                             std::to_string(Steps) + " steps",
                         Settings);
  Settings.finish();

  size_t Numbers = size_t(Directions) * Cells;
  bench::Random Randoms(3);
  std::vector<float> Start(Numbers);
  for (int I = 0; I < Directions; ++I)
    for (int C = 0; C < Cells; ++C)
      Start[size_t(I) * Cells + C] = direction(I).Weight * float(Randoms.uniform(0.98, 1.02));
  // The margin is wall that no thread visits: nothing streams back out of it.
  std::vector<unsigned char> Kinds(Cells, Wall);
  for (int Z = 0; Z < SizeZ; ++Z)
    for (int Y = 0; Y < SizeY; ++Y)
      for (int X = 0; X < SizeX; ++X) {
        bool Side = X == 0 || X == SizeX - 1 || Y == 0 || Y == SizeY - 1 || Z == 0 || Z == SizeZ - 1;
        bool Top = Z == SizeZ - 2 && X > 1 && X < SizeX - 2 && Y > 1 && Y < SizeY - 2;
        Kinds[Margin + X + Y * StrideY + Z * StrideZ] = Side ? Wall : Top ? Lid : Fluid;
      }
  unsigned char *DeviceKinds = bench::upload(Kinds);

  // States[t] is what step t starts from. Without a gradient two would do.
  std::vector<float *> States(1, bench::upload(Start));
  float *Other = bench::duplicate(States[0], Numbers);
  std::vector<Kept *> Tapes;
  for (int T = 0; T < Steps; ++T)
    if (Taped)
      Tapes.push_back(bench::allocate<Kept>(size_t(SizeX) * SizeY * SizeZ));
    else
      States.push_back(bench::duplicate(States[0], Numbers));
  float *Final = bench::duplicate(States[0], Numbers);
  float *const Shadows[2] = {bench::allocate<float>(Numbers), bench::allocate<float>(Numbers)};
  float *DInitial = bench::allocate<float>(Numbers), *DFinal = bench::allocate<float>(Numbers);
  size_t Bytes = Numbers * sizeof(float);

  // A margin's numbers reach no cell, so they may be moved like all others.
  Program.field(States[0], DInitial, Numbers, true, false, 1e-2);
  Program.field(Final, DFinal, Numbers, false, true);
  // Single precision: differences of a sum of millions of densities.
  Program.Step = 0.5;
  Program.DifferencesTolerance = 2e-2;
  Program.Tolerance = 1e-4;

  dim3 Grid(SizeY, SizeZ), Block(SizeX);
  // The two shadows take turns; that of the final state is the harness's.
  Program.Prepare = [=] {
    bench::require(cudaMemset(Shadows[0], 0, Bytes), "cudaMemset");
    bench::require(cudaMemset(Shadows[1], 0, Bytes), "cudaMemset");
  };
  float *First = States[0];
  // Where the state after T steps is, if two places have to do; what no cell streams to
  // keeps its first value in both.
  auto Value = [=](int T) { return T == 0 ? First : (Steps - T) % 2 ? Other : Final; };
  auto Shadow = [=](int T) { return T == 0 ? DInitial : T == Steps ? DFinal : Shadows[T % 2]; };
  Program.Primal = [=] {
    for (int T = 0; T < Steps; ++T)
      primalKernel<<<Grid, Block>>>(Value(T), Value(T + 1), DeviceKinds);
  };
  Program.Gradient = [=] {
    if (Taped) {
      for (int T = 0; T < Steps; ++T)
        augmentedKernel<<<Grid, Block>>>(Value(T), Shadow(T), Value(T + 1), Shadow(T + 1), DeviceKinds, Tapes[T]);
      for (int T = Steps; T-- > 0;)
        reverseKernel<<<Grid, Block>>>(Value(T), Shadow(T), Value(T + 1), Shadow(T + 1), DeviceKinds, Tapes[T]);
      return;
    }
    for (int T = 0; T + 1 < Steps; ++T)
      primalKernel<<<Grid, Block>>>(States[T], States[T + 1], DeviceKinds);
    for (int T = Steps; T-- > 0;)
      gradientKernel<<<Grid, Block>>>(States[T], Shadow(T), Final, Shadow(T + 1), DeviceKinds);
  };
  Program.Forward = [=] {
    for (int T = 0; T < Steps; ++T)
      forwardKernel<<<Grid, Block>>>(Value(T), Shadow(T), Value(T + 1), Shadow(T + 1), DeviceKinds);
  };
  return Program.run();
}
