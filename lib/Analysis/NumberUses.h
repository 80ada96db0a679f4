//===- NumberUses.h - numbers that are meant, and moves of bits -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The optimiser moves bytes in registers of floating-point types, whatever they
// are. These questions tell a value that the program has for a number from one
// that is only on its way.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_NUMBERUSES_H
#define RETROGRAD_ANALYSIS_NUMBERUSES_H

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Instruction;
class LoopInfo;
class Type;
class Value;
} // namespace llvm

namespace retrograd {

/// What must hold for a use to be one.
struct UseCondition {
  const llvm::Value *Condition;
  bool Holds;
  bool EndsLoop; ///< it only tells whether a loop goes on
};
/// The program needs what it computed with a number, when it comes to At, if
/// all conditions hold.
struct NumberUse {
  const llvm::Instruction *At;
  llvm::SmallVector<UseCondition, 1> If;
};
/// Where the program needs what it computes with V. The optimiser reads and
/// computes before it knows whether anybody asks (a select, a hoisted load): no
/// such place is among them. Empty if V is only moved.
llvm::SmallVector<NumberUse, 2> usesOfNumber(const llvm::Instruction &V,
                                             const llvm::LoopInfo &LI);

/// An operation on numbers takes V, as it is or joined with others.
bool isComputedWith(const llvm::Value &V);

/// All that the number V may be was computed as one, or read from where the
/// program wrote that it is one: no bits of something else are on their way.
bool isMadeAsNumber(const llvm::Value &V);

/// What the bits of V are taken from.
struct BitSources {
  /// Numbers, as they were before their bits were taken.
  llvm::SmallVector<const llvm::Value *, 4> Numbers;
  /// Loads of integers.
  llvm::SmallVector<const llvm::Value *, 4> Loads;
};
/// Of an integer, or a number that was made of one, by way of moves of bits
/// alone: no arithmetic.
BitSources sourcesOfBits(const llvm::Value &V);

/// "double" for double, "float" for a vector of them.
const char *formatName(const llvm::Type *FP);

} // namespace retrograd

#endif
