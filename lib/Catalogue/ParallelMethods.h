//===- ParallelMethods.h - parallel loops of libraries ----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Function templates of libraries that do work of the program's in parallel:
// records of the class ParallelMethod in the catalogue. They are no operations,
// since no call of theirs has a derivative; Guard/Methods.h makes substitutes
// for them.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_CATALOGUE_PARALLELMETHODS_H
#define RETROGRAD_CATALOGUE_PARALLELMETHODS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace retrograd {

/// How a method is given its work.
enum class ParallelMethodKind : uint8_t {
  Loop,      ///< body(piece), of a body that may be copied
  Reduction, ///< the same of bodies that are split off and joined again
  Scan,      ///< what each piece adds to what all before it have added
  Calls,     ///< each of some functions, once
  /// The same with the range of a policy and a body that is called with an
  /// index (and what it adds to, and whether this is the last time).
  PolicyLoop,
  PolicyReduction,
  PolicyScan,
  /// The same of a policy of several dimensions, whose tiles an object walks
  /// over, and of one of teams of threads, of whom the body is told.
  TileLoop,
  TileReduction,
  LeagueLoop,
  LeagueReduction,
  /// Objects that add up a part of a range, and write it; one that does all.
  StepScan,
  StepWhole
};

/// A function template of a library that does work of the program's in parallel
/// (Operation.td explains the names).
struct ParallelMethodRecord {
  ParallelMethodKind Kind;
  llvm::StringRef Scope, Base;
  llvm::StringRef RunBody, IsEmpty, IsDivisible, Join, Assign, SplitTag, AddTag,
      WriteTag, SplitsAll, Policy, First, Last, Init, Walk, OneThread;
};
llvm::ArrayRef<ParallelMethodRecord> parallelMethods();

} // namespace retrograd

#endif
