//===- DigitFlow.h - integers that are digits of numbers --------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bits of a number, read as an integer, and that integer made a number
// again by its value: a fast logarithm. Or the other way round: a number is
// rounded to an integer whose bits are a number (a fast exponential). Both are
// nearly smooth, but a conversion has no derivative, so that it would be lost.
//
// What only sees exponent and sign, or few digits (the index of a table), is a
// step function, constant almost everywhere. So which bits of an integer are
// digits is followed by masks, through integer arithmetic, calls and memory.
// Where an integer is such bits on some ways only, it is something by turns (a
// tagged union) and no digits.
//
// This holds whatever the activity. Of one function's values, comesFrom asks
// what is varied.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_DIGITFLOW_H
#define RETROGRAD_ANALYSIS_DIGITFLOW_H

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include <array>

namespace retrograd {

class ProgramFacts;

class DigitFlow {
public:
  DigitFlow(llvm::ArrayRef<llvm::Function *> Functions,
            const ProgramFacts &Facts);

  /// I makes a number of digits of others, and no derivative follows.
  bool makesNumber(const llvm::Instruction &I) const {
    return Ways[Read].Makers.contains(&I) || Ways[Rounded].Makers.contains(&I);
  }
  /// I puts the bits of a number in memory, as what the types take for an
  /// integer, and they are made a number again somewhere. Or I calls what does
  /// that with bits that I hands over.
  bool keepsNumber(const llvm::Instruction &I) const;
  /// The same of C's callee, or of what that calls, and of digits that C hands
  /// over.
  bool calleeMakesNumber(const llvm::CallBase &C) const;
  /// The same of I if a number is what it loads, of which nobody knows
  /// anything.
  bool mayMakeNumber(const llvm::Instruction &I) const {
    return Ways[Asked].Makers.contains(&I);
  }
  /// Of the numbers whose digits I makes a number of, or hands over, one is
  /// varied: a value, or what lies behind a pointer.
  bool comesFrom(const llvm::Instruction &I,
                 llvm::function_ref<bool(const llvm::Value *)> Varied,
                 llvm::function_ref<bool(const llvm::Value *)> Memory) const;

private:
  /// Numbers read as integers; the same, and integers of which nobody knows
  /// whether they are numbers; numbers that were rounded; numbers that are put
  /// in integers; what these are made.
  enum Kind : unsigned { Read, Asked, Rounded, Kept, MadeOfKept, NumKinds };

  /// Which bits of an integer, or of each element of a vector, are digits.
  struct Way {
    llvm::DenseMap<const llvm::Value *, llvm::APInt> Digits;
    llvm::DenseMap<const llvm::Function *, llvm::APInt> Returned;
    llvm::SmallPtrSet<const llvm::Instruction *, 4> Makers;
    /// Functions that make numbers of digits that they are given.
    llvm::SmallPtrSet<const llvm::Function *, 4> Making;
  };
  class Solver;

  const ProgramFacts &Facts;
  std::array<Way, NumKinds> Ways;

  bool calleeIsMaker(const llvm::CallBase &C, const Way &W) const;
};

} // namespace retrograd

#endif
