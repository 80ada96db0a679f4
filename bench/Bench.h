//===- Bench.h - what is measured, and against what -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A Problem is one program at one size: its primal, Retrograd's derivative, a
// derivative written by hand, and where it is easy one by ADOL-C. Each file
// Bench*.cpp registers its own, so a program whose derivative cannot be built
// leaves a gap in the table and not an empty table.
//
// The primal, the two derivatives and this harness are separate translation
// units, compiled alike; inputs live on the heap. So nothing can be folded,
// hoisted or inlined across the call that is timed.
//
//===----------------------------------------------------------------------===//

#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <functional>
#include <string>
#include <vector>

namespace bench {

struct Problem {
  std::string Program, Size;
  size_t Inputs = 0;
  /// How many numbers the derivative consists of.
  size_t Entries = 0;
  std::function<void()> Primal;
  /// Each overwrites the Entries numbers it is given.
  std::function<void(double *)> Gradient, Hand, Adolc;
  /// How far derivatives may be apart. The sum over a million terms of LSE
  /// leaves 1e-9 on the one input that is the maximum; a wrong derivative is
  /// off by far more.
  double Agreement = 1e-7;
  /// Relative to the entry, but at least to this share of the largest entry.
  double Least = 1e-5;
};

using Maker = std::vector<Problem> (*)();

/// Declares at namespace scope that Make's problems are to be measured.
struct Registration {
  Registration(int Order, Maker Make);
};

/// Keeps the compiler from dropping a computation whose result nobody reads.
void consume(double Value);

} // namespace bench

#endif
