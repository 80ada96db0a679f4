//===- Devices.cu - whole programs on one GPU and on two ------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host functions that use several devices, and their gradients, each in one
// call of __enzyme_autodiff:
//
//   heat      a square with nonlinear conduction, cut in slabs of rows, one per
//             device. Each device has a stream; a step waits by events for the
//             neighbours, and fetches their rows by peer copies.
//   members   independent predators and preys, a part of them per device, in
//             place.
//   launches  one device, a launch of one thread per step: what a launch costs
//             the host.
//
// Inputs are small and lie on the host; states lie on devices, in memory that
// the program keeps from call to call. A run is timed by the host's clock, from
// the call to its return. Checked: reverse mode against forward mode and
// central differences in a random direction, and two devices against one.
//
//   Devices [--large] [--reps=N] [--check-only] [--less=N: 1/N of the steps]
//
// The table is in Markdown, as bench/tables.py records it.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <utility>
#include <vector>

template <class R, class... T> R __enzyme_autodiff(void *, T...);
template <class R, class... T> R __enzyme_fwddiff(void *, T...);
extern int enzyme_dup, enzyme_const;

static void require(cudaError_t Status, const char *What) {
  if (Status == cudaSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", What, cudaGetErrorString(Status));
  std::exit(2);
}

enum { Most = 2, Coarse = 32, Parameters = 1024 };

/// What the program has on each device.
struct Device {
  double *From, *To, *Input, *Sums;
  cudaStream_t Stream;
  cudaEvent_t Ready;
};
static Device On[Most];

static void provide(int Devices, size_t States, size_t Inputs, size_t Sums) {
  for (int D = 0; D < Devices; ++D) {
    require(cudaSetDevice(D), "cudaSetDevice");
    for (int Peer = 0; Peer < Devices; ++Peer)
      if (Peer != D)
        cudaDeviceEnablePeerAccess(Peer, 0);
    cudaGetLastError(); // enabled already
    require(cudaMalloc(&On[D].From, States * sizeof(double)), "cudaMalloc");
    require(cudaMalloc(&On[D].To, States * sizeof(double)), "cudaMalloc");
    require(cudaMalloc(&On[D].Input, Inputs * sizeof(double)), "cudaMalloc");
    require(cudaMalloc(&On[D].Sums, Sums * sizeof(double)), "cudaMalloc");
    require(cudaStreamCreateWithFlags(&On[D].Stream, cudaStreamNonBlocking),
            "cudaStreamCreate");
    require(cudaEventCreateWithFlags(&On[D].Ready, cudaEventDisableTiming),
            "cudaEventCreate");
  }
  require(cudaSetDevice(0), "cudaSetDevice");
}
static void giveBack(int Devices) {
  for (int D = 0; D < Devices; ++D) {
    cudaSetDevice(D);
    cudaFree(On[D].From), cudaFree(On[D].To);
    cudaFree(On[D].Input), cudaFree(On[D].Sums);
    cudaStreamDestroy(On[D].Stream), cudaEventDestroy(On[D].Ready);
  }
  cudaSetDevice(0);
}

//===-- Heat
//----------------------------------------------------------------===//

/// Rows First to First + Rows of an N x N square, between two rows of others.
__global__ void warm(const double *__restrict__ Input, double *__restrict__ U,
                     int N, int First, int Rows) {
  int X = blockIdx.x * blockDim.x + threadIdx.x, Y = blockIdx.y;
  if (X >= N || Y >= Rows)
    return;
  int Wide = N / Coarse, At = (First + Y) / Coarse * Wide + X / Coarse;
  U[size_t(Y + 1) * N + X] = Input[At] * (1 + 0.001 * (X % Coarse));
}
__global__ void conduct(const double *__restrict__ U, double *__restrict__ V,
                        int N, int Rows) {
  int X = blockIdx.x * blockDim.x + threadIdx.x, Y = blockIdx.y;
  if (X >= N || Y >= Rows)
    return;
  size_t At = size_t(Y + 1) * N + X;
  double Here = U[At], Left = X > 0 ? U[At - 1] : Here,
         Right = X + 1 < N ? U[At + 1] : Here;
  V[At] = Here + 0.2 * (1 + 0.1 * Here) *
                     (Left + Right + U[At - N] + U[At + N] - 4 * Here);
}
__global__ void sumColumns(const double *__restrict__ U,
                           double *__restrict__ Sums, int N, int Rows) {
  int X = blockIdx.x * blockDim.x + threadIdx.x;
  double Sum = 0;
  if (X >= N)
    return;
  for (int Y = 1; Y <= Rows; ++Y)
    Sum += U[size_t(Y) * N + X] * U[size_t(Y) * N + X];
  Sums[X] = Sum;
}

static double heat(const double *Input, int N, int Steps, int Devices) {
  int Rows = N / Devices;
  size_t Row = size_t(N) * sizeof(double),
         Inputs = size_t(N / Coarse) * (N / Coarse);
  dim3 Grid((N + 127) / 128, Rows), Line((N + 127) / 128);
  double *U[Most], *V[Most];
  // All copies from the host first: their reverses end on the host, which waits
  // for each.
  for (int D = 0; D < Devices; ++D) {
    cudaSetDevice(D);
    cudaMemcpyAsync(On[D].Input, Input, Inputs * sizeof(double),
                    cudaMemcpyHostToDevice, On[D].Stream);
  }
  for (int D = 0; D < Devices; ++D) {
    cudaSetDevice(D);
    Device &Dev = On[D];
    U[D] = Dev.From, V[D] = Dev.To;
    for (double *P : {U[D], V[D]}) { // the edges of the square stay cold
      cudaMemsetAsync(P, 0, Row, Dev.Stream);
      cudaMemsetAsync(P + size_t(Rows + 1) * N, 0, Row, Dev.Stream);
    }
    warm<<<Grid, 128, 0, Dev.Stream>>>(Dev.Input, U[D], N, D * Rows, Rows);
    cudaEventRecord(Dev.Ready, Dev.Stream);
  }
  for (int T = 0; T < Steps; ++T) {
    for (int D = 0; D < Devices; ++D) { // rows of the neighbours
      cudaSetDevice(D);
      if (D > 0) {
        cudaStreamWaitEvent(On[D].Stream, On[D - 1].Ready, 0);
        cudaMemcpyPeerAsync(U[D], D, U[D - 1] + size_t(Rows) * N, D - 1, Row,
                            On[D].Stream);
      }
      if (D + 1 < Devices) {
        cudaStreamWaitEvent(On[D].Stream, On[D + 1].Ready, 0);
        cudaMemcpyPeerAsync(U[D] + size_t(Rows + 1) * N, D, U[D + 1] + N, D + 1,
                            Row, On[D].Stream);
      }
    }
    for (int D = 0; D < Devices; ++D) {
      cudaSetDevice(D);
      cudaEventRecord(On[D].Ready, On[D].Stream); // what it copied it has
    }
    for (int D = 0; D < Devices; ++D) {
      cudaSetDevice(D);
      for (int E = 0; E < Devices; ++E)
        if (E != D)
          cudaStreamWaitEvent(On[D].Stream, On[E].Ready, 0);
      conduct<<<Grid, 128, 0, On[D].Stream>>>(U[D], V[D], N, Rows);
      std::swap(U[D], V[D]);
    }
    for (int D = 0; D < Devices; ++D) {
      cudaSetDevice(D);
      cudaEventRecord(On[D].Ready, On[D].Stream);
    }
  }
  double Total = 0;
  std::vector<double> Sums(size_t(N) * Devices);
  for (int D = 0; D < Devices; ++D) {
    cudaSetDevice(D);
    sumColumns<<<Line, 128, 0, On[D].Stream>>>(U[D], On[D].Sums, N, Rows);
  }
  for (int D = 0; D < Devices; ++D) {
    cudaSetDevice(D);
    cudaMemcpyAsync(&Sums[size_t(N) * D], On[D].Sums, Row,
                    cudaMemcpyDeviceToHost, On[D].Stream);
    cudaStreamSynchronize(On[D].Stream);
  }
  cudaSetDevice(0);
  for (double S : Sums)
    Total += S;
  return Total / N;
}

//===-- Members
//-------------------------------------------------------------===//

__global__ void breed(const double *__restrict__ Input,
                      double *__restrict__ State, int Count, int First) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I < Count) {
    State[2 * I] = 1 + 0.1 * Input[(First + I) % Parameters];
    State[2 * I + 1] = 0.5;
  }
}
__global__ void live(const double *__restrict__ Input,
                     double *__restrict__ State, int Count, int First) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Count)
    return;
  double Prey = State[2 * I], Predators = State[2 * I + 1],
         Rate = 1 + 0.1 * Input[(First + I) % Parameters];
  for (int K = 0; K < 16; ++K) {
    double Eaten = Prey * Predators;
    Prey += 0.005 * (Rate * Prey - Eaten);
    Predators += 0.005 * (Eaten - 0.8 * Predators);
  }
  State[2 * I] = Prey;
  State[2 * I + 1] = Predators;
}
__global__ void count(const double *__restrict__ State,
                      double *__restrict__ Sums, int Count) {
  int I = blockIdx.x * blockDim.x + threadIdx.x;
  double Sum = 0;
  if (I >= Parameters)
    return;
  for (int J = I; J < Count; J += Parameters)
    Sum += State[2 * J] * State[2 * J] + State[2 * J + 1];
  Sums[I] = Sum;
}
static double members(const double *Input, int N, int Steps, int Devices) {
  int Each = N / Devices, Blocks = (Each + 127) / 128;
  for (int D = 0; D < Devices; ++D) {
    cudaSetDevice(D);
    cudaMemcpyAsync(On[D].Input, Input, Parameters * sizeof(double),
                    cudaMemcpyHostToDevice, On[D].Stream);
  }
  for (int D = 0; D < Devices; ++D) {
    cudaSetDevice(D);
    breed<<<Blocks, 128, 0, On[D].Stream>>>(On[D].Input, On[D].From, Each,
                                            D * Each);
  }
  for (int T = 0; T < Steps; ++T)
    for (int D = 0; D < Devices; ++D) {
      cudaSetDevice(D);
      live<<<Blocks, 128, 0, On[D].Stream>>>(On[D].Input, On[D].From, Each,
                                             D * Each);
    }
  double Total = 0;
  std::vector<double> Sums(size_t(Parameters) * Devices);
  for (int D = 0; D < Devices; ++D) {
    cudaSetDevice(D);
    count<<<Parameters / 128, 128, 0, On[D].Stream>>>(On[D].From, On[D].Sums,
                                                      Each);
  }
  for (int D = 0; D < Devices; ++D) {
    cudaSetDevice(D);
    cudaMemcpyAsync(&Sums[size_t(Parameters) * D], On[D].Sums,
                    Parameters * sizeof(double), cudaMemcpyDeviceToHost,
                    On[D].Stream);
    cudaStreamSynchronize(On[D].Stream);
  }
  cudaSetDevice(0);
  for (double S : Sums)
    Total += S;
  return Total / N;
}

//===-- Launches
//------------------------------------------------------------===//

__global__ void turn(const double *__restrict__ From, double *__restrict__ To) {
  *To = *From + 0.001 * sin(*From);
}
static double launches(const double *Input, int, int Steps, int) {
  Device &Dev = On[0];
  double *From = Dev.From, *To = Dev.To, Result;
  cudaMemcpyAsync(From, Input, sizeof(double), cudaMemcpyHostToDevice,
                  Dev.Stream);
  for (int T = 0; T < Steps; ++T) {
    turn<<<1, 1, 0, Dev.Stream>>>(From, To);
    std::swap(From, To);
  }
  cudaMemcpyAsync(&Result, From, sizeof(double), cudaMemcpyDeviceToHost,
                  Dev.Stream);
  cudaStreamSynchronize(Dev.Stream);
  return Result;
}

/// The gradient of the same by hand: what is overwritten is kept, and put back
/// behind the reverse of its launch.
__global__ void turnBack(const double *__restrict__ From,
                         double *__restrict__ DFrom, double *__restrict__ DTo) {
  *DFrom += *DTo * (1 + 0.001 * cos(*From));
  *DTo = 0;
}
static double launchesByHand(double Input, int Steps, double *Kept,
                             double *Shadows) {
  Device &Dev = On[0];
  double *From = Dev.From, *To = Dev.To, *DFrom = Shadows, *DTo = Shadows + 1,
         One = 1, Result;
  cudaMemcpyAsync(From, &Input, sizeof(double), cudaMemcpyHostToDevice,
                  Dev.Stream);
  for (int T = 0; T < Steps; ++T) {
    cudaMemcpyAsync(Kept + T, To, sizeof(double), cudaMemcpyDeviceToDevice,
                    Dev.Stream);
    turn<<<1, 1, 0, Dev.Stream>>>(From, To);
    std::swap(From, To), std::swap(DFrom, DTo);
  }
  cudaMemsetAsync(Shadows, 0, 2 * sizeof(double), Dev.Stream);
  cudaMemcpyAsync(DFrom, &One, sizeof(double), cudaMemcpyHostToDevice,
                  Dev.Stream);
  for (int T = Steps; T-- > 0;) {
    std::swap(From, To), std::swap(DFrom, DTo);
    turnBack<<<1, 1, 0, Dev.Stream>>>(From, DFrom, DTo);
    cudaMemcpyAsync(To, Kept + T, sizeof(double), cudaMemcpyDeviceToDevice,
                    Dev.Stream);
  }
  cudaMemcpyAsync(&Result, DFrom, sizeof(double), cudaMemcpyDeviceToHost,
                  Dev.Stream);
  cudaStreamSynchronize(Dev.Stream);
  return Result;
}

//===-- Measurement
//---------------------------------------------------------===//

typedef double (*Program)(const double *, int, int, int);

struct Measured {
  double Primal = 0, Gradient = 0; ///< ms
  double ByForward = 0, ByDifferences = 0;
  std::vector<double> Adjoints;
};

template <class F> static double least(int Reps, F Run) {
  double Best = 1e30;
  for (int R = 0; R <= Reps; ++R) { // the first one is not counted
    auto Begin = std::chrono::steady_clock::now();
    Run();
    std::chrono::duration<double, std::milli> Took =
        std::chrono::steady_clock::now() - Begin;
    if (R)
      Best = std::min(Best, Took.count());
  }
  return Best;
}
static double off(double A, double B) {
  return std::fabs(A - B) / std::max(std::fabs(B), 1e-300);
}

template <Program F>
static Measured measure(const std::vector<double> &Input, int N, int Steps,
                        int Devices, int Reps) {
  Measured M;
  M.Adjoints.assign(Input.size(), 0);
  std::vector<double> Direction(Input.size()), Moved(Input);
  for (size_t I = 0; I < Input.size(); ++I)
    Direction[I] = 0.5 + 0.1 * (I % 7);
  __enzyme_autodiff<double>((void *)F, enzyme_dup, Input.data(),
                            M.Adjoints.data(), enzyme_const, N, enzyme_const,
                            Steps, enzyme_const, Devices);
  double Slope = 0, Ends[2];
  for (size_t I = 0; I < Input.size(); ++I)
    Slope += M.Adjoints[I] * Direction[I];
  double Forward = __enzyme_fwddiff<double>(
      (void *)F, enzyme_dup, Input.data(), Direction.data(), enzyme_const, N,
      enzyme_const, Steps, enzyme_const, Devices);
  for (int Side = 0; Side < 2; ++Side) {
    for (size_t I = 0; I < Input.size(); ++I)
      Moved[I] = Input[I] + (Side ? 1e-5 : -1e-5) * Direction[I];
    Ends[Side] = F(Moved.data(), N, Steps, Devices);
  }
  M.ByForward = off(Slope, Forward);
  M.ByDifferences = off(Slope, (Ends[1] - Ends[0]) / 2e-5);
  if (!Reps)
    return M;
  M.Primal = least(Reps, [&] { F(Input.data(), N, Steps, Devices); });
  std::vector<double> Adjoints(Input.size());
  M.Gradient = least(Reps, [&] {
    __enzyme_autodiff<double>((void *)F, enzyme_dup, Input.data(),
                              Adjoints.data(), enzyme_const, N, enzyme_const,
                              Steps, enzyme_const, Devices);
  });
  return M;
}

static bool Right = true;

/// The row of one program, for one device and for more, with States numbers on
/// all of them together and Halo on each besides. Gradients keep allocations as
/// a whole, so these are no larger than that.
template <Program F>
static void row(const char *Name, const char *Size, size_t States, size_t Halo,
                size_t Inputs, int N, int Steps, int Devices, int Reps) {
  std::vector<double> Input(Inputs);
  for (size_t I = 0; I < Inputs; ++I)
    Input[I] = 0.5 + 0.05 * (I * 7 % 11);
  Measured M[Most];
  for (int D = 0; D < Devices; ++D) {
    provide(D + 1, States / (D + 1) + Halo, Inputs,
            std::max<size_t>(N, Parameters));
    M[D] = measure<F>(Input, N, Steps, D + 1, Reps);
    giveBack(D + 1);
  }
  double Apart = 0, Worst = 0, Differences = 0;
  for (int D = 0; D < Devices; ++D) {
    Worst = std::max(Worst, M[D].ByForward);
    Differences = std::max(Differences, M[D].ByDifferences);
    for (size_t I = 0; I < Inputs; ++I)
      Apart = std::max(Apart, off(M[D].Adjoints[I], M[0].Adjoints[I]));
  }
  if (!(Worst < 1e-9) || !(Differences < 1e-5) || !(Apart < 1e-9))
    Right = false;
  std::printf("| %s | %s |", Name, Size);
  for (int D = 0; D < Most; ++D)
    if (D < Devices && Reps)
      std::printf(" %.3f | %.3f |", M[D].Primal, M[D].Gradient);
    else
      std::printf(" | |");
  std::printf(" %.2f |", Reps ? M[0].Gradient / M[0].Primal : 0);
  if (Devices > 1 && Reps)
    std::printf(" %.2f | **%.2f** |", M[0].Primal / M[1].Primal,
                M[0].Gradient / M[1].Gradient);
  else
    std::printf(" | |");
  std::printf(" %.1e | %.1e |\n", Worst, Differences);
}

static void rowByHand(int Steps, int Reps) {
  std::vector<double> Input(1, 0.5);
  double *Kept, *Shadows, Result = 0;
  provide(1, 1, 1, 1);
  require(cudaMalloc(&Kept, Steps * sizeof(double)), "cudaMalloc");
  require(cudaMalloc(&Shadows, 2 * sizeof(double)), "cudaMalloc");
  Measured M = measure<launches>(Input, 1, Steps, 1, 0);
  double Took = least(
      Reps, [&] { Result = launchesByHand(Input[0], Steps, Kept, Shadows); });
  giveBack(1);
  cudaFree(Kept), cudaFree(Shadows);
  Right &= off(Result, M.Adjoints[0]) < 1e-12;
  std::printf("| the same, by hand | | | %.3f | | | | | | %.1e | |\n", Took,
              off(Result, M.Adjoints[0]));
}

int main(int ArgC, char **ArgV) {
  bool Large = false;
  int Reps = 3, Devices = 1, Less = 1;
  for (int I = 1; I < ArgC; ++I)
    if (!std::strcmp(ArgV[I], "--large"))
      Large = true;
    else if (!std::strcmp(ArgV[I], "--check-only"))
      Reps = 0;
    else if (!std::strncmp(ArgV[I], "--less=", 7))
      Less = std::atoi(ArgV[I] + 7);
    else if (!std::strncmp(ArgV[I], "--reps=", 7))
      Reps = std::atoi(ArgV[I] + 7);
    else {
      std::fprintf(stderr, "Devices: %s?\n", ArgV[I]);
      return 2;
    }
  require(cudaGetDeviceCount(&Devices), "cudaGetDeviceCount");
  Devices = std::min<int>(Devices, Most);
  std::printf("| program | size | one GPU: primal ms | gradient ms | two: "
              "primal ms | gradient ms | gradient/primal | primal: one/two | "
              "gradient: one/two | reverse against forward | against "
              "differences |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  char Size[64];
  int N = Large ? 8192 : 64, Steps = (Large ? 60 : 6) / Less;
  std::snprintf(Size, sizeof Size, "%d x %d, %d steps", N, N, Steps);
  row<heat>("heat", Size, size_t(N) * N, 2 * size_t(N),
            size_t(N / Coarse) * (N / Coarse), N, Steps, Devices, Reps);
  N = Large ? 16 << 20 : 4096, Steps = (Large ? 40 : 4) / Less;
  std::snprintf(Size, sizeof Size, "%d members, %d steps", N, Steps);
  row<members>("members", Size, 2 * size_t(N), 0, Parameters, N, Steps, Devices,
               Reps);
  N = 1, Steps = Large ? 10000 : 20;
  std::snprintf(Size, sizeof Size, "%d launches of one thread", Steps);
  row<launches>("launches", Size, 1, 0, 1, N, Steps, 1, Reps);
  if (Reps)
    rowByHand(Steps, Reps);
  return !Right;
}
