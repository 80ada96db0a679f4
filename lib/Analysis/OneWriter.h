//===- OneWriter.h - memory whose places are written once -------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The adjoint of what a store writes is taken and cleared, since the place may
// have been written before, or by another thread (one number by all lanes of a
// warp). Where each place is written once and never read, the clearing does
// nothing, and adjoints may stay as they are (docs/Seeds.md).
//
// The question: of two runs of a store, by two threads or in two iterations, do
// both go to one place? An address is a polynomial over who the thread is,
// counters of loops, and what is the same for all. It is taken apart into row
// and column as far as the column is proved to lie within its row, by the
// comparisons in front of the store, the bounds of loops and the extents of the
// launch. If all that tells one run from another comes out, no two runs meet.
//
// What can be said only of a launch (its rows are whole warps, its grid has one
// block along y) is a condition, which the derivative asks when it begins.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_ONEWRITER_H
#define RETROGRAD_ANALYSIS_ONEWRITER_H

#include "Analysis/LoopShape.h"
#include "Catalogue/Catalogue.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include <optional>
#include <string>

namespace retrograd {

class OneWriter {
public:
  /// What has to hold of a launch: a sum of products is not negative, or it is
  /// a multiple of a number.
  struct Condition {
    /// An extent of the launch (0 to 2: of a block, 3 to 5: of the grid), or a
    /// parameter.
    struct Factor {
      unsigned Extent = 0;
      const llvm::Argument *Parameter = nullptr;
      bool Signed = true;
      bool operator==(const Factor &) const = default;
    };
    struct Term {
      int64_t Coefficient;
      llvm::SmallVector<Factor, 2> Factors;
      bool operator==(const Term &) const = default;
    };
    llvm::SmallVector<Term, 4> Sum;
    uint64_t Multiple = 0; ///< 0: not negative
    bool operator==(const Condition &) const = default;
  };
  struct Doubt {
    const llvm::Instruction *At;
    std::string Why;
  };

  /// Grid: threads of a launch run F, else one alone. IsAlike says which
  /// parameters all of them get alike.
  OneWriter(const llvm::Function &F, const LoopShape &Shape,
            const llvm::DominatorTree &DT, const Catalogue &Cat, bool Grid,
            llvm::function_ref<bool(const llvm::Argument &)> IsAlike)
      : F(F), Shape(Shape), DT(DT), Cat(Cat), Grid(Grid), IsAlike(IsAlike) {}

  /// Why places that A leads to may be written twice, or read, if they may. The
  /// conditions for this not to be are added to those found before.
  std::optional<Doubt> doubt(const llvm::Argument &A);
  llvm::ArrayRef<Condition> conditions() const { return Conditions; }

private:
  const llvm::Function &F;
  const LoopShape &Shape;
  const llvm::DominatorTree &DT;
  const Catalogue &Cat;
  const bool Grid;
  llvm::function_ref<bool(const llvm::Argument &)> IsAlike;
  llvm::SmallVector<Condition, 4> Conditions;
};

} // namespace retrograd

#endif
