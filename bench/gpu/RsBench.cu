//===- RsBench.cu - cross sections from multipoles -------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The other way to get cross sections, after the description of the RSBench proxy
// application (J. Tramm et al., EASC 2014) and of the windowed multipole method
// (C. Josey et al., J. Comp. Phys. 2016): no tables, but the resonances' poles. The
// energy range of a nuclide is cut into windows; a window has a smooth background
// and a run of poles, each of which adds the Doppler-broadened shape of its
// resonance, which is the Faddeeva function w(z) = exp(-z^2) erfc(-iz).
//
// w: Fourier series of Abrarov and Quine (Appl. Math. Comp. 2011) near the origin,
// the four-point Gauss-Hermite rule in closed form away from it.
//
// Differentiated: the four macroscopic cross sections of every event, by all poles.
//
//===----------------------------------------------------------------------===//

#include "GpuBench.h"

#include <algorithm>

namespace rsbench {

constexpr int Channels = 4;
constexpr int Materials = 12;
/// Angular momenta that resonances have.
constexpr int Momenta = 4;
constexpr int SeriesTerms = 10;

struct Complex {
  double Re, Im;
};
__device__ __forceinline__ Complex operator+(Complex A, Complex B) { return {A.Re + B.Re, A.Im + B.Im}; }
__device__ __forceinline__ Complex operator-(Complex A, Complex B) { return {A.Re - B.Re, A.Im - B.Im}; }
__device__ __forceinline__ Complex operator*(Complex A, Complex B) {
  return {A.Re * B.Re - A.Im * B.Im, A.Re * B.Im + A.Im * B.Re};
}
__device__ __forceinline__ Complex operator*(double A, Complex B) { return {A * B.Re, A * B.Im}; }
__device__ __forceinline__ Complex inverse(Complex A) {
  double Scale = 1 / (A.Re * A.Re + A.Im * A.Im);
  return {Scale * A.Re, -Scale * A.Im};
}

/// A resonance: where it is, its residues for total, absorption and fission.
struct Pole {
  Complex Position, Total, Absorption, Fission;
  long Momentum;
};

struct Window {
  double Total, Absorption, Fission;
  int First, End;
};

struct Tables {
  int Events, MostNuclides, MostWindows, MostPoles;
  const int *NuclideCount, *NuclideIds, *WindowCount;
  const double *Densities;
  /// For each nuclide and momentum the channel radius over the wavelength at unit energy.
  const double *Radii;
  const Window *Windows;
  double Doppler;
};

/// exp(-z^2) erfc(-iz) for Im z > 0.
__device__ __forceinline__ Complex faddeeva(Complex Z) {
  constexpr double Pi = 3.14159265358979323846;
  constexpr double RootPi = 1.77245385090551602730;
  if (Z.Re * Z.Re + Z.Im * Z.Im >= 36) {
    // i z / sqrt(pi) times the rule's sum over its two pairs of nodes.
    constexpr double NodeA = 0.27525512860841095, NodeB = 2.72474487139158905;
    constexpr double WeightA = 0.51242422475476846, WeightB = 0.05176535879298767;
    Complex Square = Z * Z;
    Complex Sum = WeightA * inverse(Complex{Square.Re - NodeA, Square.Im}) +
                  WeightB * inverse(Complex{Square.Re - NodeB, Square.Im});
    Complex Product = Z * Sum;
    return {-Product.Im, Product.Re};
  }
  constexpr double Tau = 12;
  // exp(i tau z)
  double Sine, Cosine;
  sincos(Tau * Z.Re, &Sine, &Cosine);
  double Decay = exp(-Tau * Z.Im);
  Complex Wave = {Decay * Cosine, Decay * Sine};
  Complex Square = (Tau * Tau) * (Z * Z);
  Complex Sum = {0, 0};
#pragma unroll
  for (int N = 1; N <= SeriesTerms; ++N) {
    double NPi = N * Pi;
    double Weight = 2 * RootPi / Tau * exp(-NPi * NPi / (Tau * Tau));
    double Sign = N & 1 ? -1.0 : 1.0;
    Complex Top = {Sign * Wave.Re - 1, Sign * Wave.Im};
    Complex Bottom = {NPi * NPi - Square.Re, -Square.Im};
    Sum = Sum + Weight * (Top * inverse(Bottom));
  }
  Complex First = Complex{1 - Wave.Re, -Wave.Im} * inverse(Tau * Z);
  Complex All = First + (Tau * Tau / RootPi) * (Z * Sum);
  return {-All.Im, All.Re};
}

/// Twice the hard-sphere phase shift of each momentum, as exp(-2i phi).
__device__ __forceinline__ void phases(const double *Radii, double RootEnergy, Complex *Factors) {
#pragma unroll
  for (int L = 0; L < Momenta; ++L) {
    double X = Radii[L] * RootEnergy, Phase = X;
    if (L == 1)
      Phase -= atan(X);
    else if (L == 2)
      Phase -= atan(3 * X / (3 - X * X));
    else if (L == 3)
      Phase -= atan(X * (15 - X * X) / (15 - 6 * X * X));
    double Sine, Cosine;
    sincos(2 * Phase, &Sine, &Cosine);
    Factors[L] = {Cosine, -Sine};
  }
}

/// Sigma[c * Events + event]: total, elastic, absorption, fission.
__device__ __forceinline__ void macroscopic(Tables T, const Pole *__restrict__ Poles, double *__restrict__ Sigma) {
  int Event = blockIdx.x * blockDim.x + threadIdx.x;
  if (Event >= T.Events)
    return;
  uint64_t Bits = bench::scramble(2 * uint64_t(Event));
  double Energy = 1e-3 + (1 - 2e-3) * (double(Bits >> 11) * 0x1p-53);
  double Choice = double(bench::scramble(Bits) >> 11) * 0x1p-53;
  int Material = Choice < 1.0 / 7 ? 0 : 1 + int((Choice - 1.0 / 7) * (7.0 / 6) * (Materials - 1));
  double RootEnergy = sqrt(Energy);

  double Sum[Channels] = {0, 0, 0, 0};
  int Count = T.NuclideCount[Material];
  for (int I = 0; I < Count; ++I) {
    int Nuclide = T.NuclideIds[Material * T.MostNuclides + I];
    double Density = T.Densities[Material * T.MostNuclides + I];
    Complex Factors[Momenta];
    phases(T.Radii + Nuclide * Momenta, RootEnergy, Factors);
    Window W = T.Windows[Nuclide * T.MostWindows + int(Energy * T.WindowCount[Nuclide])];
    double Total = Energy * W.Total, Absorption = Energy * W.Absorption, Fission = Energy * W.Fission;
    for (int P = W.First; P < W.End; ++P) {
      const Pole &Here = Poles[long(Nuclide) * T.MostPoles + P];
      Complex Shape = faddeeva(T.Doppler * (Complex{Energy, 0} - Here.Position));
      Total += (Here.Total * Shape * Factors[Here.Momentum]).Re;
      Absorption += (Here.Absorption * Shape).Re;
      Fission += (Here.Fission * Shape).Re;
    }
    Sum[0] += Density * Total;
    Sum[1] += Density * (Total - Absorption);
    Sum[2] += Density * Absorption;
    Sum[3] += Density * Fission;
  }
#pragma unroll
  for (int C = 0; C < Channels; ++C)
    Sigma[long(C) * T.Events + Event] = Sum[C];
}

__global__ void primalKernel(Tables T, const Pole *Poles, double *Sigma) { macroscopic(T, Poles, Sigma); }

__global__ void gradientKernel(Tables T, const Pole *Poles, Pole *DPoles, double *Sigma, double *DSigma) {
  __enzyme_autodiff((void *)macroscopic, enzyme_const, T, enzyme_dup, Poles, DPoles, enzyme_dup, Sigma, DSigma);
}

__global__ void forwardKernel(Tables T, const Pole *Poles, Pole *DPoles, double *Sigma, double *DSigma) {
  __enzyme_fwddiff((void *)macroscopic, enzyme_const, T, enzyme_dup, Poles, DPoles, enzyme_dup, Sigma, DSigma);
}

/// The harness moves plain arrays of numbers: the eight of each pole are taken
/// out of the structs, and put back, on the device.
__global__ void gather(long Count, const Pole *Poles, double *Numbers) {
  long I = blockIdx.x * long(blockDim.x) + threadIdx.x;
  if (I < 8 * Count)
    Numbers[I] = reinterpret_cast<const double *>(Poles + I / 8)[I % 8];
}
__global__ void scatter(long Count, const double *Numbers, Pole *Poles) {
  long I = blockIdx.x * long(blockDim.x) + threadIdx.x;
  if (I < 8 * Count)
    reinterpret_cast<double *>(Poles + I / 8)[I % 8] = Numbers[I];
}

} // namespace rsbench

using namespace rsbench;

int main(int Count, char **Words) {
  bench::Options Settings(Count, Words);
  Tables T;
  int Nuclides = Settings.size("nuclides", 12, 355);
  T.Events = Settings.size("events", 96, 1020000);
  T.MostPoles = Settings.size("poles", 40, 1000);
  T.MostWindows = Settings.size("windows", 8, 100);
  T.MostNuclides = Settings.size("fuel", 8, 321);
  int Threads = int(Settings.number("threads", 128));
  // The inverse of the width that the atoms' motion gives a resonance: about six
  // widths to a window, so that both formulas of w are met.
  T.Doppler = Settings.number("doppler", 6.0 * T.MostWindows);
  bench::Program Program("RSBench",
                         std::to_string(T.Events) + " events, " + std::to_string(Nuclides) + " x " +
                             std::to_string(T.MostPoles),
                         Settings);
  Settings.finish();

  bench::Random Numbers(2);
  std::vector<Pole> Poles(size_t(Nuclides) * T.MostPoles);
  std::vector<Window> Windows(size_t(Nuclides) * T.MostWindows);
  std::vector<int> WindowCount(Nuclides);
  std::vector<double> Radii(size_t(Nuclides) * Momenta);
  for (int N = 0; N < Nuclides; ++N) {
    WindowCount[N] = T.MostWindows / 2 + int(Numbers.below(T.MostWindows / 2));
    int Used = T.MostPoles / 2 + int(Numbers.below(T.MostPoles / 2));
    std::vector<double> Where(Used);
    for (double &E : Where)
      E = Numbers.uniform();
    std::sort(Where.begin(), Where.end());
    for (int P = 0; P < Used; ++P) {
      Pole &Here = Poles[size_t(N) * T.MostPoles + P];
      Here.Position = {Where[P], -Numbers.uniform(0.002, 0.02)};
      Here.Total = {Numbers.uniform(-1, 1), Numbers.uniform(-1, 1)};
      Here.Absorption = {Numbers.uniform(-1, 1), Numbers.uniform(-1, 1)};
      Here.Fission = {Numbers.uniform(-1, 1), Numbers.uniform(-1, 1)};
      Here.Momentum = Numbers.below(Momenta);
    }
    // A window reads its own poles and those of the windows beside it.
    for (int W = 0; W < WindowCount[N]; ++W) {
      auto At = [&](double E) { return int(std::lower_bound(Where.begin(), Where.end(), E) - Where.begin()); };
      Windows[size_t(N) * T.MostWindows + W] = {Numbers.uniform(), Numbers.uniform(), Numbers.uniform(),
                                                At((W - 0.25) / WindowCount[N]), At((W + 1.25) / WindowCount[N])};
    }
    for (int L = 0; L < Momenta; ++L)
      Radii[size_t(N) * Momenta + L] = Numbers.uniform(0.1, 1);
  }
  std::vector<int> Counts(Materials), Ids(size_t(Materials) * T.MostNuclides);
  std::vector<double> Densities(Ids.size());
  for (int M = 0; M < Materials; ++M) {
    Counts[M] = M ? std::min(T.MostNuclides, 4 + int(Numbers.below(24))) : T.MostNuclides;
    for (int I = 0; I < Counts[M]; ++I) {
      Ids[size_t(M) * T.MostNuclides + I] = int(Numbers.below(Nuclides));
      Densities[size_t(M) * T.MostNuclides + I] = Numbers.uniform(0.1, 1);
    }
  }
  T.NuclideCount = bench::upload(Counts);
  T.NuclideIds = bench::upload(Ids);
  T.Densities = bench::upload(Densities);
  T.WindowCount = bench::upload(WindowCount);
  T.Radii = bench::upload(Radii);
  T.Windows = bench::upload(Windows);

  long PoleCount = long(Poles.size());
  unsigned CopyBlocks = unsigned((8 * PoleCount + 255) / 256);
  Pole *DevicePoles = bench::upload(Poles), *Shadow = bench::upload(Poles);
  double *Numbers8 = bench::allocate<double>(8 * PoleCount), *Shadow8 = bench::allocate<double>(8 * PoleCount);
  gather<<<CopyBlocks, 256>>>(PoleCount, DevicePoles, Numbers8);
  bench::require(cudaDeviceSynchronize(), "gather");
  double *Sigma = bench::allocate<double>(size_t(Channels) * T.Events);
  double *DSigma = bench::allocate<double>(size_t(Channels) * T.Events);
  Program.field(Numbers8, Shadow8, 8 * PoleCount, true, false, 1e-3);
  Program.field(Sigma, DSigma, size_t(Channels) * T.Events, false, true);
  Program.Step = 1e-3;
  // Ten terms leave w with a jump of a thousandth where its two formulas meet. Of many
  // arguments some cross that line, which differences see and derivatives do not.
  Program.DifferencesTolerance = Settings.number("large", 0) != 0 ? 5e-3 : 1e-6;

  unsigned Blocks = unsigned((T.Events + Threads - 1) / Threads);
  Program.Threads = size_t(Blocks) * Threads;
  Program.Prepare = [=] {
    scatter<<<CopyBlocks, 256>>>(PoleCount, Numbers8, DevicePoles);
    scatter<<<CopyBlocks, 256>>>(PoleCount, Shadow8, Shadow);
  };
  Program.Primal = [=] { primalKernel<<<Blocks, Threads>>>(T, DevicePoles, Sigma); };
  Program.Gradient = [=] { gradientKernel<<<Blocks, Threads>>>(T, DevicePoles, Shadow, Sigma, DSigma); };
  Program.Collect = [=] { gather<<<CopyBlocks, 256>>>(PoleCount, Shadow, Shadow8); };
  Program.Forward = [=] { forwardKernel<<<Blocks, Threads>>>(T, DevicePoles, Shadow, Sigma, DSigma); };
  return Program.run();
}
