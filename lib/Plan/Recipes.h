//===- Recipes.h - how the reverse sweep can have a value -------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recipes are the single source of truth on how a value can be had in the
// reverse sweep without a slot: the plan cuts the graph that they span, the
// verifier follows them, and emission executes them.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PLAN_RECIPES_H
#define RETROGRAD_PLAN_RECIPES_H

#include "Plan/Choices.h"
#include "Plan/Deferrals.h"
#include "Plan/Originals.h"
#include "Plan/PlanSubject.h"
#include "Plan/Replays.h"
#include "Plan/Snapshots.h"
#include "Rules/Need.h"
#include "llvm/ADT/DenseMap.h"

namespace retrograd {

/// How a need is met without a slot.
struct Recipe {
  enum Kind : uint8_t {
    Available, ///< at hand in the reverse sweep at no cost
    Source,    ///< cannot be made again: must be kept
    Compute    ///< made from Inputs
  } K = Source;
  llvm::SmallVector<Need, 3> Inputs;
};

/// A join whose predecessor a dominating branch tells: that branch and, for
/// each predecessor, whether it lies on the branch's true side.
struct DecidedJoin {
  const llvm::Value *Condition;
  llvm::SmallVector<bool, 4> OnTrueSide;
};

/// A join whose predecessor several branches tell, which all can be asked
/// whatever way was taken: the predecessors in an order in which each but the
/// last is the one if its condition is what it says and none before it was.
struct DecidedWays {
  struct Way {
    unsigned Index;                         ///< among Recipes::predecessorsOf
    const llvm::Value *Condition = nullptr; ///< none of the last
    bool IfTrue = true;
  };
  llvm::SmallVector<Way, 4> Ways;
};

/// A join whose predecessor branches tell, each of which is reached in one way
/// from the one before: asked in their order, a condition is asked only where
/// it was computed.
struct DecidedByBranches {
  struct Branch {
    const llvm::Value *Condition;
    /// On false and true: a later branch, or, as -1 - N, predecessor N.
    int Next[2];
  };
  llvm::SmallVector<Branch, 4> Branches; ///< the first one first
};

class Recipes {
public:
  Recipes(const PlanSubject &Subject,
          const llvm::SmallVectorImpl<Replay> &Replays,
          const llvm::SmallVectorImpl<Original> &Originals,
          const llvm::SmallVectorImpl<Snapshot> &Snapshots,
          const Choices &Chosen,
          const llvm::SmallVectorImpl<const RunningPivot *> &Settled,
          const Deferrals &Deferred)
      : Subject(Subject), Replays(Replays), Originals(Originals),
        Snapshots(Snapshots), Chosen(Chosen), Settled(Settled),
        Deferred(Deferred) {}

  /// What N must be looked up as: the shadow of a pointer that is its own
  /// shadow is its primal value.
  Need canonical(Need N) const;
  Recipe recipe(Need N) const;

  /// The predecessors of B without repetition, in a fixed order.
  llvm::SmallVector<const llvm::BasicBlock *, 4>
  predecessorsOf(const llvm::BasicBlock *B) const;
  std::optional<DecidedJoin> decidedJoin(const llvm::BasicBlock *B) const;
  /// None of joins that one branch decides.
  std::optional<DecidedWays> decidedWays(const llvm::BasicBlock *B) const;
  /// Of a join that decidedJoin() does not tell.
  std::optional<DecidedByBranches>
  decidingBranches(const llvm::BasicBlock *B) const;
  /// The phi can be made again as a select: one branch decides, and what comes
  /// from either side can be computed whichever side was taken.
  bool isSelect(const llvm::PHINode &Phi) const;
  /// Made again from the iteration number.
  bool isComputedPhi(const llvm::PHINode &Phi) const;
  /// The reverse sweep may run in another rounding mode than what it reverses.
  bool roundingChanges() const;
  /// Gives the same from the same operands, whenever it runs.
  bool isRepeatable(const llvm::Instruction &I) const;
  /// The load sees the same bytes where its reverse asks for them again.
  bool canRepeat(const llvm::LoadInst &L) const;
  /// The store that has put V where the reverse sweep finds it again, so that
  /// it need not be on the tape; or null.
  const llvm::StoreInst *heldBy(const llvm::Value *V) const;
  /// The load's results are kept by place; null if they are not.
  const Original *originalOf(const llvm::LoadInst &L) const;
  /// The array that L reads may be kept as a whole; null if it may not.
  const Snapshot *snapshotOf(const llvm::LoadInst &L) const;
  /// The array of a kept need: Of is the first of its loads.
  const Snapshot &snapshotWith(const llvm::Value *Of) const;
  bool hasOriginals() const { return !Originals.empty(); }
  bool hasReplays() const { return !Replays.empty(); }
  /// V is this running pivot, or what one of its loops begins an iteration
  /// with, and the reverse sweep takes the last one in its place; or null.
  const RunningPivot *settledBy(const llvm::Value *V) const;
  /// V is another number in the reverse sweep than it was, since it changes
  /// with a pivot that is another one there: it must not be kept.
  bool isShifted(const llvm::Value *V) const;
  /// The array that L reads from; null if it is not filled anew.
  const Replay *replayOf(const llvm::LoadInst &L) const;
  const Replay *replayOfArray(const llvm::Value &Array) const;

  /// The values that the number of L's iterations can be computed from; none if
  /// it has to be counted.
  std::optional<llvm::SmallVector<Need, 4>>
  countInputs(const llvm::Loop *L) const;
  /// Backedges of L, when known to be a constant.
  std::optional<uint64_t> constantCount(const llvm::Loop *L) const;
  /// The outermost loop around L (or L) during whose run L's count stays what
  /// it is; the count can be computed in front of it if it is exact.
  const llvm::Loop *countHome(const llvm::Loop *L) const;

private:
  bool followsFromArguments(const llvm::Value *V, unsigned &Budget) const;
  bool followsWithin(const llvm::Value *V, const llvm::Loop &Around,
                     unsigned &Budget) const;
  bool countsFromArguments() const;
  bool canSpeculate(const llvm::Value *V, const llvm::BasicBlock *Decision,
                    unsigned &Budget) const;
  bool isAtHandDear(const llvm::Instruction &I) const;
  bool isInDeferred(const llvm::LoadInst &L) const;
  Recipe valueRecipe(const llvm::Value *V, Need::Kind K) const;
  bool runsForward(const RunningPivot &R) const;
  bool isEasyPlace(const llvm::StoreInst &S) const;

  const PlanSubject &Subject;
  const llvm::SmallVectorImpl<Replay> &Replays;
  const llvm::SmallVectorImpl<Original> &Originals;
  const llvm::SmallVectorImpl<Snapshot> &Snapshots;
  const Choices &Chosen;
  const llvm::SmallVectorImpl<const RunningPivot *> &Settled;
  const Deferrals &Deferred;
  mutable llvm::DenseMap<const llvm::PHINode *, bool> Selects;
  mutable llvm::DenseMap<const llvm::Value *, const llvm::StoreInst *> Held;
};

} // namespace retrograd

#endif
