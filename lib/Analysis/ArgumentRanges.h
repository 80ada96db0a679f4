//===- ArgumentRanges.h - where a loop nest's arguments lead ----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a function that accesses memory by its pointer arguments alone, at affine
// places: for each of these arguments, the bytes that the whole function may
// access, as scalar evolutions of its integer arguments. A caller can compute
// them, and so find out whether the arguments overlap
// (docs/DisjointArguments.md).
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_ARGUMENTRANGES_H
#define RETROGRAD_ANALYSIS_ARGUMENTRANGES_H

#include "Analysis/NarrowSums.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace llvm {
class Argument;
class CastInst;
class Function;
class GlobalVariable;
class LoadInst;
class LoopInfo;
class SCEV;
class ScalarEvolution;
} // namespace llvm

namespace retrograd {

/// On a function: whoever calls it has compared where its arguments lead, and
/// its shadows, so all bounds of these ranges are numbers that did not wrap.
constexpr llvm::StringLiteral DisjointShadows = "rg-disjoint-shadows";

/// The bytes behind an argument that one load may read.
struct ReadRange {
  llvm::Argument *Base;
  const llvm::SCEV *Low, *High;

  /// None if it is not understood.
  static std::optional<ReadRange> of(const llvm::LoadInst &L,
                                     llvm::ScalarEvolution &SE);
};

/// The bytes behind one argument: [Low, High) from its address on, signed.
struct ArgumentRange {
  llvm::Argument *Base;
  /// Each list's least (greatest) member counts.
  llvm::SmallVector<const llvm::SCEV *, 4> Lows, Highs;
  bool Written = false;
};

struct ArgumentRanges {
  llvm::SmallVector<ArgumentRange, 8> Ranges;
  /// Global variables that the function accesses, too.
  llvm::SmallVector<llvm::GlobalVariable *, 2> Globals;
  llvm::SmallVector<FitsNarrow, 8> Fit; ///< the ranges are right if it does
  WideNumbers Wide;                     ///< if all of Fit does

  /// The ranges of F's arguments, if all its accesses are understood and it is
  /// worth while to know that they do not overlap: a nest of two loops or more
  /// accesses memory by one argument, a loop writes by another one, and nothing
  /// says that these two are disjoint.
  static std::optional<ArgumentRanges>
  of(llvm::Function &F, llvm::ScalarEvolution &SE, const llvm::LoopInfo &Loops);
};

} // namespace retrograd

#endif
