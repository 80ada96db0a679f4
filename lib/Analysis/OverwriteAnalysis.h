//===- OverwriteAnalysis.h - can a load be repeated -------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reverse sweep may repeat a load instead of taping its value if no byte
// it read can be written between the load and the moment it is repeated, which
// is at any time after the primal sweep. Three arguments, cheapest first:
//
//   1. Nothing in the whole call graph writes the object.
//   2. In a split derivative the caller goes on running before the reverse
//      sweep, so only private memory of this function can qualify, or what
//      nothing changes that runs in the callers behind its calls (LaterWrites).
//      Where the user holds the tape, code outside of the call graph runs in
//      between, and what it can see is not what it was, whoever writes it.
//   3. No instruction that can run after the load may write its location, by
//      LLVM's alias analysis. Alias analysis compares pointers of one
//      iteration; where both pointers vary in a common loop only the
//      underlying objects are compared (or, for affine accesses, the distance).
//   4. A store to the same array writes these elements before the load only
//      (AccessOrder).
//
// The reverse sweep itself writes only shadows and the tape.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_ANALYSIS_OVERWRITEANALYSIS_H
#define RETROGRAD_ANALYSIS_OVERWRITEANALYSIS_H

#include "Analysis/ProgramFacts.h"
#include "Analysis/ThreadModel.h"
#include "Support/Options.h"
#include "Target/Target.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"

namespace retrograd {

class ActivityAnalysis;
class LoopShape;

class OverwriteAnalysis {
public:
  /// When F's reverse sweep runs.
  enum When : uint8_t {
    AtOnce,      ///< as soon as F is done
    AfterReturn, ///< when the caller's does, which goes on running first
    AnyTime      ///< the same, and the user's request is a split one
  };
  /// `Root` is the prepared clone that the user's request names.
  OverwriteAnalysis(llvm::Function &F, llvm::Function &Root, When Reversed,
                    llvm::AAResults &AA, const ActivityAnalysis &Activity,
                    const LoopShape &Shape, const Options &Opts);

  /// The user's code runs between the two sweeps.
  bool isUserSplit() const { return UserSplit; }

  /// The load sees the same bytes if repeated in the reverse sweep.
  bool canRepeat(const llvm::LoadInst &L) const;
  /// What S stores is there in the reverse sweep, wherever that asks.
  bool staysStored(const llvm::StoreInst &S) const;
  /// The same of a load of a local variable if it is repeated before any other
  /// iteration of Run, a loop around it, starts.
  bool canRepeatWithin(const llvm::LoadInst &L, const llvm::Loop &Run) const;
  /// L reads what was there when the function began: in its run, nothing has
  /// written these bytes before.
  bool isAsItWas(const llvm::LoadInst &L) const;
  /// While Nest, a loop around L, runs once, nothing writes to the array that L
  /// reads, wherever that is.
  bool leavesAlone(const llvm::Loop &Nest, const llvm::LoadInst &L) const;
  /// An instruction that may overwrite what L reads, for messages; null if
  /// there is none in the function.
  const llvm::Instruction *overwriter(const llvm::LoadInst &L) const;
  /// Nothing that can run after S, but for what is `Excepted`, reads or writes
  /// its place.
  bool isLastAccess(
      const llvm::StoreInst &S,
      llvm::function_ref<bool(const llvm::Instruction &)> Excepted) const;
  /// What M and its like leave in memory when threads next wait for each other
  /// is there when M is reversed: nothing writes the place later, but for
  /// others of its kind at the same time.
  bool staysAsLeft(const llvm::AtomicRMWInst &M) const;
  /// Threads wait for each other behind M, whatever way it goes.
  bool endsWithBarrier(const llvm::AtomicRMWInst &M) const;
  void print(llvm::raw_ostream &OS) const;

private:
  /// Why a write that can follow a load leaves alone what the load has read.
  enum class Apart : uint8_t {
    No,        ///< it may overwrite it
    Objects,   ///< it writes another object
    Hidden,    ///< it does not know the variable of the block
    RunsAhead, ///< it stays ahead in a loop
    ComesFirst ///< it writes these elements before the load only
  };
  Apart apart(const llvm::Instruction &W, const llvm::Instruction &L) const;
  bool mayOverwrite(const llvm::Instruction &W,
                    const llvm::Instruction &L) const {
    return apart(W, L) == Apart::No;
  }
  void explain(llvm::raw_ostream &OS, const llvm::LoadInst &L) const;
  bool compute(const llvm::LoadInst &L) const;
  bool changedNowhere(TypeAnalysis::ObjectId O,
                      const llvm::BitVector &Changes) const;
  bool staysAfterReturn(TypeAnalysis::ObjectId O) const;
  bool isPrivate(const llvm::Value *P) const;
  bool isHiddenFrom(const llvm::Value *P, const llvm::Value *Other) const;
  /// By the order of loops' iterations, W never writes what L has read.
  bool comesFirst(const llvm::Instruction &W, const llvm::Instruction &L) const;
  bool runsAhead(const llvm::Instruction &W, const llvm::Instruction &L,
                 const llvm::Loop &Common) const;
  bool canFollow(const llvm::Instruction &W, const llvm::Instruction &L) const;
  bool concernsOthers(const llvm::Instruction &W,
                      const llvm::Instruction &L) const;

  llvm::Function &F;
  llvm::Function &Root;
  bool Split, UserSplit;
  llvm::AAResults &AA;
  const ProgramFacts &Facts;
  const LoopShape &Shape;
  Target Machine;
  ThreadModel Threads;
  bool ByPhase, ByPace;
  llvm::SmallVector<const llvm::Instruction *, 32> Writers;
  /// Where threads may wait for each other. Only where
  /// a function is not run alone.
  llvm::SmallVector<const llvm::Instruction *, 4> Barriers;
  /// Alias queries left for this function.
  mutable unsigned Budget = 500000;
  /// Systems of inequalities left to solve: each takes about a millisecond.
  static constexpr unsigned MostSystems = 400;
  mutable unsigned Systems;
  mutable llvm::DenseMap<const llvm::LoadInst *, bool> Known;
  mutable llvm::DenseMap<const llvm::StoreInst *, bool> Stays;
  mutable llvm::DenseMap<const llvm::GlobalVariable *, bool> Hidden;
  mutable llvm::DenseMap<const llvm::BasicBlock *,
                         llvm::SmallPtrSet<const llvm::BasicBlock *, 16>>
      After;
};

} // namespace retrograd

#endif
