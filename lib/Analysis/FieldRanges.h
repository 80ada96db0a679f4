//===- FieldRanges.h - where pointers in structs lead -----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C programs keep their arrays by pointers in a struct, and sizes beside them:
//
//   matmul(m->out, m->in, m->weight, m->rows, m->columns);
//
// Of a prepared primal whose memory is reached by its arguments, and by
// pointers that it loads from fields of what they point at (both are roots
// here): the bytes behind each root that are accessed at affine
// places, as scalar evolutions of arguments and fields. Loads at other places
// are allowed, and nothing is said of them; other stores are not.
//
// And which loads would see the same if they were repeated when the function is
// over, if the iterations of an outer loop keep to places of their own: the
// next layer's arrays begin where those of this one end. That, too, a caller
// can compute.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_FIELDRANGES_H
#define RETROGRAD_ANALYSIS_FIELDRANGES_H

#include "Analysis/NarrowSums.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/InstrTypes.h"
#include <optional>

namespace llvm {
class Argument;
class Function;
class GlobalVariable;
class Instruction;
class LoadInst;
class LoopInfo;
class SCEV;
class ScalarEvolution;
class Value;
} // namespace llvm

namespace retrograd {

/// On a load of a primal: nothing overwrites what it reads before the function
/// returns. Whoever calls it has asked.
constexpr llvm::StringLiteral StaysMetadata = "rg.stays";
/// On an argument, a list of numbers: the pointers at these offsets behind it
/// are roots whose shadows are apart from each other at all places; `self` is
/// the argument.
constexpr llvm::StringLiteral ApartFields = "rg-apart-fields";

/// An argument, or a pointer or integer that is loaded from behind one.
struct Field {
  llvm::Argument *Of = nullptr;
  std::optional<int64_t> At; ///< none: the argument itself

  explicit operator bool() const { return Of; }
  bool operator==(const Field &) const = default;
  static Field of(const llvm::Value *V);
};

/// The bytes behind one root: [Low, High) from its address on, signed.
struct FieldRange {
  const llvm::Value *Root; ///< one of its values: others may load the same
  /// Each list's least (greatest) member counts.
  llvm::SmallVector<const llvm::SCEV *, 4> Lows, Highs;
  llvm::SmallVector<llvm::Instruction *, 8> Accesses; ///< at these places
  bool Written = false;
  bool HoldsNumbers = false; ///< its memory may have adjoints
  bool IsWhole = true;       ///< there are no other accesses
};

/// Iterations of a loop that moves all by Step: what [StoreLow, StoreHigh) is
/// in a later one is apart from [LoadLow, LoadHigh).
struct ApartInTime {
  const llvm::SCEV *Step, *LoadLow, *LoadHigh, *StoreLow, *StoreHigh;
  bool operator==(const ApartInTime &) const = default;
};

/// X and Y compare so in front of the loops.
struct Guard {
  llvm::CmpInst::Predicate Is;
  const llvm::SCEV *X, *Y;
};

struct FieldRanges {
  /// In this order: fields of later ones, and of all that follows, may be
  /// loaded only where these hold.
  llvm::SmallVector<Guard, 4> Guards;
  llvm::SmallVector<FieldRange, 16> Ranges;
  llvm::SmallVector<FitsNarrow, 8> Fit; ///< the ranges are right if it does
  WideNumbers Wide;                     ///< if all of Fit does
  llvm::SmallVector<llvm::GlobalVariable *, 2> Globals; ///< accessed, too
  llvm::SmallVector<ApartInTime, 8> Later;
  /// Nothing overwrites what they read, if all of Later holds.
  llvm::SmallVector<llvm::LoadInst *, 16> Stay;

  /// None if a store is not understood, or if it is not worth while.
  static std::optional<FieldRanges> of(llvm::Function &Prepared,
                                       llvm::ScalarEvolution &SE,
                                       const llvm::LoopInfo &Loops);
};

} // namespace retrograd

#endif
