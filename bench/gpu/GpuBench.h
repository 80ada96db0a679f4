//===- GpuBench.h - timing and checking gradients of kernels -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A benchmark of bench/gpu is one .cu file: a device function, a kernel that
// calls it, a kernel that calls __enzyme_autodiff on it, one that calls
// __enzyme_fwddiff. It tells this harness its active arrays (fields) and how to
// launch the three, and gets
//
// - a check: for random directions v of all inputs and random weights w of all
//   outputs, three numbers that must agree,
//
//       w . (f(x + h v) - f(x - h v)) / 2h     central differences
//       w . (J v)                              forward mode
//       (J' w) . v                             reverse mode
//
// - times: of the kernels alone, between two events, inputs and shadows
// restored
//   before each run outside of what is timed; the least and the median of
//   --reps runs, after one that is not counted.
//
// One line per program goes to standard output, tab-separated, for run.sh's
// table. Nothing but the runtime's plain calls and <<<>>> is used, so that the
// same files run through --offload=cpu.
//
//===----------------------------------------------------------------------===//

#ifndef BENCH_GPU_GPUBENCH_H
#define BENCH_GPU_GPUBENCH_H

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <cuda_runtime.h>
#include <retrograd/retrograd_device.h>

template <typename... Arguments>
__device__ void __enzyme_autodiff(void *, Arguments...);
template <typename... Arguments>
__device__ void __enzyme_fwddiff(void *, Arguments...);
extern __device__ int enzyme_dup, enzyme_dupnoneed, enzyme_const, enzyme_seed;

namespace bench {

/// Ends the program with the runtime's word for an error.
inline void require(cudaError_t Status, const char *What) {
  if (Status == cudaSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", What, cudaGetErrorString(Status));
  std::exit(2);
}

/// Random bits that a number stands for (SplitMix64), for host and device.
__host__ __device__ inline uint64_t scramble(uint64_t Z) {
  Z += 0x9e3779b97f4a7c15ull;
  Z = (Z ^ (Z >> 30)) * 0xbf58476d1ce4e5b9ull;
  Z = (Z ^ (Z >> 27)) * 0x94d049bb133111ebull;
  return Z ^ (Z >> 31);
}

/// A generator of random numbers for the host: the same numbers in every run
/// and on every machine.
class Random {
  uint64_t State;

public:
  explicit Random(uint64_t Seed) : State(Seed) {}
  uint64_t bits() {
    uint64_t Bits = scramble(State);
    State += 0x9e3779b97f4a7c15ull;
    return Bits;
  }
  /// In [0, 1).
  double uniform() { return double(bits() >> 11) * 0x1p-53; }
  double uniform(double Low, double High) {
    return Low + (High - Low) * uniform();
  }
  unsigned below(unsigned Bound) { return unsigned(bits() % Bound); }
};

/// An array on the device. Freed with the program.
template <typename T> T *allocate(size_t Count) {
  void *Memory = nullptr;
  require(cudaMalloc(&Memory, (Count ? Count : 1) * sizeof(T)), "cudaMalloc");
  require(cudaMemset(Memory, 0, (Count ? Count : 1) * sizeof(T)), "cudaMemset");
  return static_cast<T *>(Memory);
}

template <typename T> T *upload(const std::vector<T> &Host) {
  T *Memory = allocate<T>(Host.size());
  require(cudaMemcpy(Memory, Host.data(), Host.size() * sizeof(T),
                     cudaMemcpyHostToDevice),
          "cudaMemcpy");
  return Memory;
}

/// A copy of Count things of the device, on the device.
template <typename T> T *duplicate(const T *Device, size_t Count) {
  T *Memory = allocate<T>(Count);
  require(
      cudaMemcpy(Memory, Device, Count * sizeof(T), cudaMemcpyDeviceToDevice),
      "cudaMemcpy");
  return Memory;
}

/// Command line: name=number settings, each with a default of the program's.
class Options {
  std::map<std::string, double> Given;
  std::map<std::string, bool> Known;

public:
  Options(int Count, char **Words) {
    for (int I = 1; I < Count; ++I) {
      std::string Word = Words[I];
      while (!Word.empty() && Word[0] == '-')
        Word.erase(0, 1);
      size_t Equals = Word.find('=');
      if (Equals == std::string::npos)
        Given[Word] = 1;
      else
        Given[Word.substr(0, Equals)] = std::atof(Word.c_str() + Equals + 1);
    }
  }
  double number(const char *Name, double Default) {
    Known[Name] = true;
    auto It = Given.find(Name);
    return It == Given.end() ? Default : It->second;
  }
  /// A setting with two defaults: the first runs in moments on a processor too,
  /// the second is what is measured on a GPU (--large).
  int size(const char *Name, int Small, int Large) {
    return int(number(Name, number("large", 0) != 0 ? Large : Small));
  }
  /// Ends the program on a setting nobody asked for.
  void finish() {
    for (auto &Entry : Given)
      if (!Known.count(Entry.first)) {
        std::fprintf(stderr,
                     "unknown setting '%s'; known:", Entry.first.c_str());
        for (auto &Name : Known)
          std::fprintf(stderr, " %s", Name.first.c_str());
        std::fprintf(stderr, "\n");
        std::exit(2);
      }
  }
};

/// An array that derivatives flow through, on the device, and its shadow.
struct Field {
  enum Kind { Float, Double } Type;
  void *Values, *Shadow;
  size_t Count;
  /// An input is perturbed; an output is weighted. Some are both.
  bool Input, Output;
  /// How large a component of the direction is: inputs of different units are
  /// moved alike.
  double Scale = 1;

  size_t bytes() const { return Count * (Type == Float ? 4 : 8); }
};

class Program {
  std::string Name, Size;
  std::vector<Field> Fields;
  std::vector<std::vector<char>> Initial;
  const void *Kernels[3] = {};
  int Reps;
  bool CheckOnly, TimeOnly;
  size_t Reserve;

  static std::vector<double> download(const void *Memory, const Field &F) {
    std::vector<double> Numbers(F.Count);
    if (F.Type == Field::Double) {
      require(
          cudaMemcpy(Numbers.data(), Memory, F.bytes(), cudaMemcpyDeviceToHost),
          "cudaMemcpy");
      return Numbers;
    }
    std::vector<float> Floats(F.Count);
    require(
        cudaMemcpy(Floats.data(), Memory, F.bytes(), cudaMemcpyDeviceToHost),
        "cudaMemcpy");
    return std::vector<double>(Floats.begin(), Floats.end());
  }
  static void store(void *Memory, const Field &F,
                    const std::vector<double> &Numbers) {
    if (F.Type == Field::Double) {
      require(
          cudaMemcpy(Memory, Numbers.data(), F.bytes(), cudaMemcpyHostToDevice),
          "cudaMemcpy");
      return;
    }
    std::vector<float> Floats(Numbers.begin(), Numbers.end());
    require(
        cudaMemcpy(Memory, Floats.data(), F.bytes(), cudaMemcpyHostToDevice),
        "cudaMemcpy");
  }
  static double dot(const std::vector<double> &A,
                    const std::vector<double> &B) {
    double Sum = 0;
    for (size_t I = 0; I < A.size(); ++I)
      Sum += A[I] * B[I];
    return Sum;
  }
  static void finishKernels() {
    require(cudaGetLastError(), "kernel launch");
    require(cudaDeviceSynchronize(), "kernel");
  }

  /// Every field as it was at the start; the inputs moved by Step along
  /// Direction.
  void restore(const std::vector<std::vector<double>> &Direction, double Step) {
    for (size_t I = 0; I < Fields.size(); ++I) {
      Field &F = Fields[I];
      require(cudaMemcpy(F.Values, Initial[I].data(), F.bytes(),
                         cudaMemcpyHostToDevice),
              "cudaMemcpy");
      if (!F.Input || Step == 0)
        continue;
      std::vector<double> X = download(F.Values, F);
      for (size_t K = 0; K < X.size(); ++K)
        X[K] += Step * Direction[I][K];
      store(F.Values, F, X);
    }
  }
  double weighted(const std::vector<std::vector<double>> &Weights,
                  bool Shadows) {
    double Sum = 0;
    for (size_t I = 0; I < Fields.size(); ++I)
      if (Fields[I].Output)
        Sum += dot(
            Weights[I],
            download(Shadows ? Fields[I].Shadow : Fields[I].Values, Fields[I]));
    return Sum;
  }

public:
  /// The three launches. A launch leaves its kernels in flight; Gradient and
  /// Forward find shadows seeded and values restored.
  std::function<void()> Primal, Gradient, Forward;
  /// A gradient by hand, which does what Gradient does: compared and timed
  /// beside it.
  std::function<void()> Hand;
  /// Run before each launch, untimed: what the launches leave behind besides
  /// the fields.
  std::function<void()> Prepare = [] {};
  /// Run after a launch of a derivative, untimed: brings shadows into the
  /// fields.
  std::function<void()> Collect = [] {};
  /// Largest relative disagreement of reverse and forward mode, and of reverse
  /// mode and differences, that is a pass; the step of the differences.
  double Tolerance = 1e-9, DifferencesTolerance = 1e-6, Step = 1e-5;
  /// Of the gradient's launch: what --reserve is multiplied by.
  size_t Threads = 0;

  Program(std::string Name, std::string Size, Options &Settings)
      : Name(std::move(Name)), Size(std::move(Size)),
        Reps(int(Settings.number("reps", 5))),
        CheckOnly(Settings.number("check-only", 0) != 0),
        TimeOnly(Settings.number("time-only", 0) != 0),
        Reserve(size_t(Settings.number("reserve", 0))) {
    // Only before the first kernel that has the heap in it.
    static bool First = true;
    double HeapMiB = Settings.number("heap-mib", 4096);
    if (!First)
      return;
    First = false;
    // What a loop of unknown length keeps may come from the device's heap, or
    // with
    // --reserve from so many bytes per thread that are taken before the launch.
    require(cudaDeviceSetLimit(cudaLimitMallocHeapSize, size_t(HeapMiB) << 20),
            "cudaDeviceSetLimit");
  }

  /// Adds an active array; what it holds on the device now is its initial
  /// value.
  template <typename T>
  void field(T *Values, T *Shadow, size_t Count, bool Input, bool Output,
             double Scale = 1) {
    Field F{sizeof(T) == 4 ? Field::Float : Field::Double,
            Values,
            Shadow,
            Count,
            Input,
            Output,
            Scale};
    Initial.emplace_back(F.bytes());
    require(cudaMemcpy(Initial.back().data(), Values, F.bytes(),
                       cudaMemcpyDeviceToHost),
            "cudaMemcpy");
    Fields.push_back(F);
  }

  /// How far the three derivatives disagree at worst, relative.
  struct Errors {
    double Forward = 0, Differences = 0;
  };
  Errors check() {
    Errors Worst;
    for (int Trial = 0; Trial < 2; ++Trial) {
      Random Numbers(17 + Trial);
      std::vector<std::vector<double>> V(Fields.size()), W(Fields.size());
      for (size_t I = 0; I < Fields.size(); ++I)
        for (size_t K = 0; K < Fields[I].Count; ++K) {
          double A = Numbers.uniform(-1, 1), B = Numbers.uniform(-1, 1);
          V[I].push_back(Fields[I].Input ? Fields[I].Scale * A : 0);
          // Weights of one sign now and then: random ones would hide a sum.
          W[I].push_back(Trial ? B : std::fabs(B));
        }
      restore(V, Step);
      Prepare();
      Primal();
      finishKernels();
      double Above = weighted(W, false);
      restore(V, -Step);
      Prepare();
      Primal();
      finishKernels();
      double Differences = (Above - weighted(W, false)) / (2 * Step);

      restore(V, 0);
      for (size_t I = 0; I < Fields.size(); ++I)
        store(Fields[I].Shadow, Fields[I], V[I]);
      Prepare();
      Forward();
      Collect();
      finishKernels();
      double Tangent = weighted(W, true);

      restore(V, 0);
      for (size_t I = 0; I < Fields.size(); ++I)
        store(Fields[I].Shadow, Fields[I],
              Fields[I].Output ? W[I] : std::vector<double>(Fields[I].Count));
      Prepare();
      Gradient();
      Collect();
      finishKernels();
      double Adjoint = 0, Size = 0;
      for (size_t I = 0; I < Fields.size(); ++I)
        if (Fields[I].Input) {
          std::vector<double> G = download(Fields[I].Shadow, Fields[I]);
          Adjoint += dot(V[I], G);
          // What a sum of terms of random sign is measured against.
          for (size_t K = 0; K < G.size(); ++K)
            Size += G[K] * V[I][K] * G[K] * V[I][K];
        }
      Size = std::fmax(std::sqrt(Size), std::fabs(Adjoint));
      std::fprintf(stderr,
                   "%s: reverse %.12g forward %.12g differences %.12g\n",
                   Name.c_str(), Adjoint, Tangent, Differences);
      auto note = [](double &Worst, double Error) {
        // A NaN is the worst of all, and so is nothing at all.
        if (!(Error <= Worst))
          Worst = Error;
      };
      note(Worst.Forward, std::fabs(Adjoint - Tangent) / Size);
      note(Worst.Differences, std::fabs(Adjoint - Differences) / Size);
    }
    return Worst;
  }

  /// The kernels of primal, gradient and hand: whose registers and local memory
  /// are printed.
  void kernels(const void *P, const void *G, const void *H) {
    Kernels[0] = P;
    Kernels[1] = G;
    Kernels[2] = H;
  }
  /// How far our gradient and that by hand are apart at worst, relative to the
  /// largest number of the same array.
  double differenceFromHand() {
    std::vector<std::vector<double>> W(Fields.size()), Ours(Fields.size());
    Random Numbers(23);
    for (size_t I = 0; I < Fields.size(); ++I)
      for (size_t K = 0; K < Fields[I].Count; ++K)
        W[I].push_back(Fields[I].Output ? Numbers.uniform(-1, 1) : 0);
    double Worst = 0;
    for (bool ByHand : {false, true}) {
      restore(W, 0);
      for (size_t I = 0; I < Fields.size(); ++I)
        store(Fields[I].Shadow, Fields[I], W[I]);
      Prepare();
      ByHand ? Hand() : Gradient();
      Collect();
      finishKernels();
      for (size_t I = 0; I < Fields.size(); ++I) {
        if (!Fields[I].Input)
          continue;
        std::vector<double> G = download(Fields[I].Shadow, Fields[I]);
        if (!ByHand) {
          Ours[I] = G;
          continue;
        }
        double Largest = 0, Off = 0;
        for (size_t K = 0; K < G.size(); ++K) {
          Largest = std::fmax(Largest, std::fabs(G[K]));
          double D = std::fabs(G[K] - Ours[I][K]);
          if (!(D <= Off))
            Off = D;
        }
        if (!(Off / Largest <= Worst))
          Worst = Off / Largest;
      }
    }
    return Worst;
  }

  struct Times {
    double Least = 0, Median = 0;
  };
  /// Milliseconds of what Launch leaves in flight.
  Times time(const std::function<void()> &Launch) {
    cudaEvent_t Begin, End;
    require(cudaEventCreate(&Begin), "cudaEventCreate");
    require(cudaEventCreate(&End), "cudaEventCreate");
    // Copies on the device, since the host's are slow at full size.
    std::vector<void *> Saved;
    for (size_t I = 0; I < Fields.size(); ++I) {
      Saved.push_back(allocate<char>(Fields[I].bytes()));
      require(cudaMemcpy(Saved[I], Initial[I].data(), Fields[I].bytes(),
                         cudaMemcpyHostToDevice),
              "cudaMemcpy");
    }
    void *Ones[2] = {nullptr, nullptr};
    for (int Type = 0; Type < 2; ++Type) {
      size_t Longest = 0;
      for (Field &F : Fields)
        if (F.Output && F.Type == Type)
          Longest = std::max(Longest, F.Count);
      Ones[Type] = Type == Field::Float
                       ? (void *)upload(std::vector<float>(Longest, 1.0f))
                       : (void *)upload(std::vector<double>(Longest, 1.0));
    }
    std::vector<double> All;
    for (int Run = 0; Run <= Reps; ++Run) {
      for (size_t I = 0; I < Fields.size(); ++I) {
        Field &F = Fields[I];
        require(
            cudaMemcpy(F.Values, Saved[I], F.bytes(), cudaMemcpyDeviceToDevice),
            "cudaMemcpy");
        if (F.Output)
          require(cudaMemcpy(F.Shadow, Ones[F.Type], F.bytes(),
                             cudaMemcpyDeviceToDevice),
                  "cudaMemcpy");
        else
          require(cudaMemset(F.Shadow, 0, F.bytes()), "cudaMemset");
      }
      Prepare();
      require(cudaDeviceSynchronize(), "before a kernel");
      require(cudaEventRecord(Begin, 0), "cudaEventRecord");
      Launch();
      require(cudaEventRecord(End, 0), "cudaEventRecord");
      require(cudaEventSynchronize(End), "kernel");
      require(cudaGetLastError(), "kernel");
      float Milliseconds = 0;
      require(cudaEventElapsedTime(&Milliseconds, Begin, End),
              "cudaEventElapsedTime");
      if (Run)
        All.push_back(Milliseconds);
    }
    for (void *Memory : Saved)
      cudaFree(Memory);
    cudaFree(Ones[0]);
    cudaFree(Ones[1]);
    for (size_t I = 1; I < All.size(); ++I)
      for (size_t K = I; K && All[K] < All[K - 1]; --K)
        std::swap(All[K], All[K - 1]);
    return All.empty() ? Times() : Times{All.front(), All[All.size() / 2]};
  }

  /// Checks, times, prints; the program's exit code.
  int run() {
    if (Reserve && !Threads) {
      std::fprintf(stderr, "%s: no --reserve for this program\n", Name.c_str());
      return 2;
    }
    if (Reserve)
      require(rg::device_tape(Reserve, Threads), "rg::device_tape");
    Errors Found = TimeOnly ? Errors() : check();
    bool Right =
        Found.Forward <= Tolerance && Found.Differences <= DifferencesTolerance;
    double FromHand = Hand ? differenceFromHand() : 0;
    if (!(FromHand <= std::sqrt(Tolerance)))
      Right = false;
    Times P, G, F, H;
    if (!CheckOnly) {
      P = time(Primal);
      G = time(Gradient);
      F = time(Forward);
      if (Hand)
        H = time(Hand);
    }
    if (Hand) {
      std::printf("HAND\t%s\t%s\t%.4f\t%.4f\t%.4f\t%.2f\t%.2f\t%.2f\t%.1e",
                  Name.c_str(), Size.c_str(), P.Least, G.Least, H.Least,
                  P.Least > 0 ? G.Least / P.Least : 0,
                  P.Least > 0 ? H.Least / P.Least : 0,
                  H.Least > 0 ? G.Least / H.Least : 0, FromHand);
      // Registers and bytes of local memory: primal, gradient, by hand.
      for (const void *Kernel : Kernels) {
        cudaFuncAttributes Of = {};
        if (Kernel)
          require(cudaFuncGetAttributes(&Of, Kernel), "cudaFuncGetAttributes");
        std::printf("\t%d + %zu", Of.numRegs, size_t(Of.localSizeBytes));
      }
      std::printf("\n");
    }
    std::printf(
        "BENCH\t%s\t%s\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.2f\t%.2f\t%.1e\t%"
        ".1e\t%s\n",
        Name.c_str(), Size.c_str(), P.Least, P.Median, G.Least, G.Median,
        F.Least, F.Median, P.Least > 0 ? G.Least / P.Least : 0,
        P.Least > 0 ? F.Least / P.Least : 0, Found.Forward, Found.Differences,
        TimeOnly ? "not checked"
        : Right  ? "ok"
                 : "WRONG");
    return Right ? 0 : 1;
  }
};

} // namespace bench

#endif
