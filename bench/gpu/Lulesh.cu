//===- Lulesh.cu - material properties and volume of hydrodynamic elements --===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The region of LULESH 2.0 (I. Karlin et al., LLNL-TR-641973) that follows the
// element volumes: for the elements of a region, by way of the region's list, the
// ideal-gas equation of state gives new energy, pressure and viscosity in a
// predictor and two correctors, with the cut-offs of the report; then the speed of
// sound and the volume. Double precision, one thread per element.
//
// Differentiated: new energy, pressure, viscosity and speed of sound, by old energy,
// pressure, viscosity, its two coefficients, the volumes and their change.
//
//===----------------------------------------------------------------------===//

#include "GpuBench.h"

namespace lulesh {

/// The report's cut-offs.
struct Material {
  double Density, EnergyCut, PressureCut, ViscosityCut, VolumeCut;
  double LeastEnergy, LeastPressure, LeastVolume, MostVolume;
};

struct Pressure {
  double P, Bulk, PerEnergy;
};

/// The pressure of a gas of the given energy, compressed by Compression.
__device__ __forceinline__ Pressure pressure(double Energy, double Compression, double Volume, Material M) {
  Pressure Out;
  Out.PerEnergy = 2.0 / 3.0;
  Out.Bulk = Out.PerEnergy * (Compression + 1);
  Out.P = Out.Bulk * Energy;
  if (fabs(Out.P) < M.PressureCut || Volume >= M.MostVolume)
    Out.P = 0;
  if (Out.P < M.LeastPressure)
    Out.P = M.LeastPressure;
  return Out;
}

/// The speed of sound, at least the report's least.
__device__ __forceinline__ double soundSpeed(double Energy, double Volume, Pressure Of, double P, Material M) {
  double Square = (Of.PerEnergy * Energy + Volume * Volume * Of.Bulk * P) / M.Density;
  return Square <= 0.111111e-36 ? 0.333333e-18 : sqrt(Square);
}

__device__ __forceinline__ double cutEnergy(double Energy, Material M) {
  if (fabs(Energy) < M.EnergyCut)
    Energy = 0;
  return Energy < M.LeastEnergy ? M.LeastEnergy : Energy;
}

struct State {
  double *Energy, *P, *Viscosity, *Sound, *Volume;
};
struct Inputs {
  const double *Linear, *Quadratic, *NewVolume, *VolumeChange;
};

__device__ __forceinline__ void
update(int Count, Material M, const int *__restrict__ Elements, double *__restrict__ Energy, double *__restrict__ P,
       double *__restrict__ Viscosity, double *__restrict__ Sound, double *__restrict__ Volume,
       const double *__restrict__ Linear, const double *__restrict__ Quadratic, const double *__restrict__ NewVolume,
       const double *__restrict__ VolumeChange) {
  int Index = blockIdx.x * blockDim.x + threadIdx.x;
  if (Index >= Count)
    return;
  int I = Elements[Index];
  double E0 = Energy[I], P0 = P[I], Q0 = Viscosity[I], Change = VolumeChange[I];
  double L = Linear[I], Q = Quadratic[I], V = NewVolume[I];

  double Bounded = V < M.LeastVolume ? M.LeastVolume : V > M.MostVolume ? M.MostVolume : V;
  double Compression = 1 / Bounded - 1, Half = 1 / (Bounded - 0.5 * Change) - 1;
  if (Bounded <= M.LeastVolume)
    Half = Compression;
  if (Bounded >= M.MostVolume) {
    P0 = 0;
    Compression = 0;
    Half = 0;
  }

  // Half a step.
  double E = E0 - 0.5 * Change * (P0 + Q0);
  if (E < M.LeastEnergy)
    E = M.LeastEnergy;
  Pressure At = pressure(E, Half, Bounded, M);
  double HalfP = At.P, HalfVolume = 1 / (1 + Half);
  double NewQ = Change > 0 ? 0 : soundSpeed(E, HalfVolume, At, HalfP, M) * L + Q;
  E = cutEnergy(E + 0.5 * Change * (3 * (P0 + Q0) - 4 * (HalfP + NewQ)), M);

  // A whole one, from what the half one says.
  At = pressure(E, Compression, Bounded, M);
  double Trial = Change > 0 ? 0 : soundSpeed(E, Bounded, At, At.P, M) * L + Q;
  E = cutEnergy(E - (7 * (P0 + Q0) - 8 * (HalfP + NewQ) + (At.P + Trial)) * Change / 6, M);
  At = pressure(E, Compression, Bounded, M);
  if (Change <= 0) {
    NewQ = soundSpeed(E, Bounded, At, At.P, M) * L + Q;
    if (fabs(NewQ) < M.ViscosityCut)
      NewQ = 0;
  }

  Energy[I] = E;
  P[I] = At.P;
  Viscosity[I] = NewQ;
  Sound[I] = soundSpeed(E, Bounded, At, At.P, M);
  Volume[I] = fabs(V - 1) < M.VolumeCut ? 1 : V;
}

__global__ void primalKernel(int Count, Material M, const int *Elements, State S, Inputs In) {
  update(Count, M, Elements, S.Energy, S.P, S.Viscosity, S.Sound, S.Volume, In.Linear, In.Quadratic, In.NewVolume,
         In.VolumeChange);
}

#define LULESH_ARGUMENTS                                                                                               \
  enzyme_const, Count, enzyme_const, M, enzyme_const, Elements, enzyme_dup, S.Energy, DS.Energy, enzyme_dup, S.P, DS.P, \
      enzyme_dup, S.Viscosity, DS.Viscosity, enzyme_dup, S.Sound, DS.Sound, enzyme_dup, S.Volume, DS.Volume,           \
      enzyme_dup, In.Linear, DIn.Linear, enzyme_dup, In.Quadratic, DIn.Quadratic, enzyme_dup, In.NewVolume,            \
      DIn.NewVolume, enzyme_dup, In.VolumeChange, DIn.VolumeChange

__global__ void gradientKernel(int Count, Material M, const int *Elements, State S, State DS, Inputs In, Inputs DIn) {
  __enzyme_autodiff((void *)update, LULESH_ARGUMENTS);
}

__global__ void forwardKernel(int Count, Material M, const int *Elements, State S, State DS, Inputs In, Inputs DIn) {
  __enzyme_fwddiff((void *)update, LULESH_ARGUMENTS);
}

} // namespace lulesh

using namespace lulesh;

int main(int Count, char **Words) {
  bench::Options Settings(Count, Words);
  int Edge = Settings.size("edge", 8, 90);
  int Threads = int(Settings.number("threads", 128));
  int N = Edge * Edge * Edge;
  bench::Program Program("LULESH", std::to_string(Edge) + "^3", Settings);
  Settings.finish();

  Material M = {1, 1e-7, 1e-7, 1e-7, 1e-10, -1e15, 0, 1e-9, 1e9};
  bench::Random Numbers(4);
  // Regions in turn, elements of a region scattered over the mesh in runs.
  std::vector<int> Elements;
  for (int Region = 0; Region < 11; ++Region)
    for (int I = 0; I < N; ++I)
      if (int(bench::scramble(I / 64) % 11) == Region)
        Elements.push_back(I);
  std::vector<double> Energy, P, Viscosity, Linear, Quadratic, NewVolume, VolumeChange;
  for (int I = 0; I < N; ++I) {
    Energy.push_back(Numbers.uniform(1, 2));
    P.push_back(Numbers.uniform(0.5, 1));
    Viscosity.push_back(Numbers.uniform(0.1, 0.2));
    Linear.push_back(Numbers.uniform(0.1, 0.2));
    Quadratic.push_back(Numbers.uniform(0.1, 0.2));
    NewVolume.push_back(Numbers.uniform(0.7, 0.95));
    // Some elements expand: they have no viscosity.
    VolumeChange.push_back(Numbers.below(3) ? Numbers.uniform(-0.1, -0.01) : Numbers.uniform(0.01, 0.1));
  }
  int *DeviceElements = bench::upload(Elements);
  auto Make = [](const std::vector<double> &V) { return bench::upload(V); };
  std::vector<double> Zero(N);
  State S = {Make(Energy), Make(P), Make(Viscosity), Make(Zero), Make(Zero)};
  State DS = {Make(Zero), Make(Zero), Make(Zero), Make(Zero), Make(Zero)};
  Inputs In = {Make(Linear), Make(Quadratic), Make(NewVolume), Make(VolumeChange)};
  Inputs DIn = {Make(Zero), Make(Zero), Make(Zero), Make(Zero)};
  Program.field(S.Energy, DS.Energy, N, true, true);
  Program.field(S.P, DS.P, N, true, true);
  Program.field(S.Viscosity, DS.Viscosity, N, true, true);
  Program.field(S.Sound, DS.Sound, N, false, true);
  Program.field(S.Volume, DS.Volume, N, false, true);
  Program.field((double *)In.Linear, (double *)DIn.Linear, N, true, false);
  Program.field((double *)In.Quadratic, (double *)DIn.Quadratic, N, true, false);
  Program.field((double *)In.NewVolume, (double *)DIn.NewVolume, N, true, false);
  Program.field((double *)In.VolumeChange, (double *)DIn.VolumeChange, N, true, false);
  Program.Step = 1e-5;
  // Cut-offs and the sign of the change are met by some of many elements.
  Program.DifferencesTolerance = 1e-6;

  unsigned Blocks = unsigned((N + Threads - 1) / Threads);
  Program.Primal = [=] { primalKernel<<<Blocks, Threads>>>(N, M, DeviceElements, S, In); };
  Program.Gradient = [=] { gradientKernel<<<Blocks, Threads>>>(N, M, DeviceElements, S, DS, In, DIn); };
  Program.Forward = [=] { forwardKernel<<<Blocks, Threads>>>(N, M, DeviceElements, S, DS, In, DIn); };
  return Program.run();
}
