//===- RulesInternal.h - the families of rules ------------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that derivatives know of a family of instructions stands in one file:
// when its adjoint has work to do, what that reads, what it does, and what the
// tangent does. operationOf picks the operation of an instruction; nothing else
// does.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_RULES_RULESINTERNAL_H
#define RETROGRAD_RULES_RULESINTERNAL_H

#include "Rules/Rules.h"

namespace retrograd {

struct Operation {
  /// Null if the operation covers I, else what it does not cover. Only asked if
  /// the adjoint has work to do.
  const char *(*Missing)(const llvm::Instruction &I, const ActivityAnalysis &A);
  /// What Adjoint will look up.
  void (*Needs)(const llvm::Instruction &I, const ActivityAnalysis &A,
                NeedSink Sink);
  void (*Adjoint)(const llvm::Instruction &I, RuleContext &C);
  /// The companion of I, or null if I has none. No function: the tangent sweep
  /// does it itself, as far as it does more than repeat I over companions.
  llvm::Value *(*Tangent)(const llvm::Instruction &I,
                          TangentContext &C) = nullptr;
  /// Whether the adjoint of I has work to do. No function: if I is active.
  bool (*HasAdjoint)(const llvm::Instruction &I,
                     const ActivityAnalysis &A) = nullptr;
  /// Whether Tangent can make the companions of I in all lanes at once. No
  /// function: it cannot.
  bool (*LanesAtOnce)(const llvm::Instruction &I) = nullptr;
  /// Adjoint is called once and sees to the lanes, else once per lane.
  bool AllLanes = false;
};

namespace operations {
extern const Operation Formulas;  ///< arithmetic and math calls: the catalogue
extern const Operation Moves;     ///< select, casts and bit moves
extern const Operation Elements;  ///< insert, extract, shuffle, reductions
extern const Operation Accesses;  ///< load, store
extern const Operation Transfers; ///< memcpy, memmove, memset, realloc
extern const Operation Zeroed;    ///< calloc, where sweeps are repeated
extern const Operation Calls;     ///< differentiated callees
extern const Operation Protocols; ///< what threads of a team agree on
extern const Operation Barriers;  ///< barriers of a block or warp
extern const Operation Shuffles;  ///< values of other threads of a warp
extern const Operation Atomics;   ///< atomic read-modify-write
extern const Operation Flow;      ///< done by the sweeps themselves: phi, ret
extern const Operation Nothing;   ///< without a derivative
} // namespace operations

/// For operations that cover all of their family, and that read nothing.
inline const char *nothingMissing(const llvm::Instruction &,
                                  const ActivityAnalysis &) {
  return nullptr;
}
inline void noNeeds(const llvm::Instruction &, const ActivityAnalysis &,
                    NeedSink) {}

} // namespace retrograd

#endif
