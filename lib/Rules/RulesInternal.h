//===- RulesInternal.h - the families of rules ------------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One rule per family, in a file of its own. Rules.cpp picks the rule of an
// instruction; nothing else does.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_RULES_RULESINTERNAL_H
#define RETROGRAD_RULES_RULESINTERNAL_H

#include "Rules/Rules.h"

namespace retrograd {

struct Rule {
  /// Null if the rule covers I, else what it does not cover.
  const char *(*Missing)(const llvm::Instruction &I, const ActivityAnalysis &A);
  void (*Needs)(const llvm::Instruction &I, const ActivityAnalysis &A,
                NeedSink Sink);
  void (*Emit)(const llvm::Instruction &I, RuleContext &C);
  /// Emit is called once and sees to the lanes, else once per lane.
  bool AllLanes = false;
};

extern const Rule FormulaRule;  ///< arithmetic and math calls: the catalogue
extern const Rule MoveRule;     ///< select, casts and bit moves
extern const Rule VectorRule;   ///< insert, extract, shuffle, reductions
extern const Rule MemoryRule;   ///< load, store
extern const Rule TransferRule; ///< memcpy, memmove, memset, realloc
extern const Rule ZeroedRule;   ///< calloc, where sweeps are repeated
extern const Rule CallRule;     ///< differentiated callees
extern const Rule ProtocolRule; ///< what threads of a team agree on
extern const Rule BarrierRule;  ///< barriers of a block or warp
extern const Rule ShuffleRule;  ///< values of other threads of a warp
extern const Rule AtomicRule;   ///< atomic read-modify-write
extern const Rule NothingRule;  ///< the control-flow emitter does it: phi, ret

} // namespace retrograd

#endif
