//===- Rows.h - programs of several kernels, each a row -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What Layers.cu, Gather.cu and Particles.cu share: for each kernel a primal, a
// gradient and a tangent by one macro, their arrays of floats, and --row=K,
// which runs one.
//
// Outputs are enzyme_seed: nobody computes them again beside the gradient, and
// their adjoints stay as they are, as those of the gradients by hand do.
//
//===----------------------------------------------------------------------===//

#ifndef BENCH_GPU_ROWS_H
#define BENCH_GPU_ROWS_H

#include "GpuBench.h"

#define CONST(X) enzyme_const, X
#define DUP(X) enzyme_dup, X, D##X
#define MANY(...) __VA_ARGS__
#define IN(X) const float *__restrict__ X
#define IN2(X) const float *__restrict__ X, float *__restrict__ D##X
#define TO(X) float *__restrict__ X
#define TO2(X) float *__restrict__ X, float *__restrict__ D##X

/// The primal's kernel, the gradient's and the tangent's of one function from
/// its inputs to Y.
#define KERNELS(F, PARAMETERS, SHADOWED, CALL, MARKED)                         \
  __global__ void F##Primal PARAMETERS { F CALL; }                             \
  __global__ void F##Gradient SHADOWED {                                       \
    __enzyme_autodiff((void *)F, MARKED, enzyme_seed, Y, DY);                  \
  }                                                                            \
  __global__ void F##Forward SHADOWED {                                        \
    __enzyme_fwddiff((void *)F, MARKED, enzyme_dupnoneed, Y, DY);              \
  }
/// Whose registers and local memory are printed.
#define KERNEL_OF(F)                                                           \
  P.kernels((const void *)F##Primal, (const void *)F##Gradient,                \
            (const void *)hand::F)

namespace bench {

/// A field's values and shadow on the device.
struct Pair {
  float *X, *D;
  size_t Count;
};

inline std::string by(size_t A, size_t B) {
  return std::to_string(A) + " x " + std::to_string(B);
}

/// The rows of a program.
class Rows {
  Random Numbers{11};
  int Only, Row = 0;

public:
  /// 1 when a row was wrong.
  int Status = 0;
  /// How the rows are checked: floats, moved by Step.
  double Step = 2e-2, Tolerance = 2e-4, DifferencesTolerance = 2e-2;

  explicit Rows(Options &Given) : Only(int(Given.number("row", 0))) {}

  /// Whether the next row is to be run.
  bool wanted() { return ++Row == Only || !Only; }
  double uniform(double Low, double High) { return Numbers.uniform(Low, High); }
  unsigned below(unsigned Bound) { return Numbers.below(Bound); }

  Pair input(size_t Count, double Low = -1, double High = 1) {
    std::vector<float> Start(Count);
    for (float &V : Start)
      V = float(Numbers.uniform(Low, High));
    return input(Start);
  }
  static Pair input(const std::vector<float> &Start) {
    return {upload(Start), allocate<float>(Start.size()), Start.size()};
  }
  static Pair output(size_t Count) {
    return {allocate<float>(Count), allocate<float>(Count), Count};
  }
  int *indices(size_t Count, int Below) {
    std::vector<int> Start(Count);
    for (int &V : Start)
      V = int(Numbers.below(Below));
    return upload(Start);
  }

  /// Runs a row from In to Out, and frees both; Out is an input, too, where the
  /// kernel works in place.
  void finish(Program &P, std::initializer_list<Pair> In, Pair Out,
              bool InPlace = false) {
    for (const Pair &F : In)
      P.field(F.X, F.D, F.Count, true, false);
    P.field(Out.X, Out.D, Out.Count, InPlace, true);
    P.Step = Step;
    P.Tolerance = Tolerance;
    P.DifferencesTolerance = DifferencesTolerance;
    Status |= P.run();
    for (const Pair &F : In)
      cudaFree(F.X), cudaFree(F.D);
    cudaFree(Out.X), cudaFree(Out.D);
  }
};

} // namespace bench

#endif
