//===- TapePlan.h - which values are kept -----------------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects what the rules read (needs) and chooses what is kept: all of it (the
// naive plan), or the cheapest cut between what cannot be repeated and what is
// needed.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PLAN_TAPEPLAN_H
#define RETROGRAD_PLAN_TAPEPLAN_H

#include "Plan/Recipes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace retrograd {

class CallPlan;
class InertRegions;
class TapeLayout;

class TapePlan {
public:
  /// Each need and the blocks whose reverse reads it. Insertion order.
  using NeedMap =
      llvm::MapVector<Need, llvm::SmallSetVector<const llvm::BasicBlock *, 2>>;

  TapePlan(const PlanSubject &Subject, const Recipes &How,
           const Deferrals &Deferred, const InertRegions &Inert,
           const TapeLayout &Layout)
      : Subject(Subject), How(How), Deferred(Deferred), Inert(Inert),
        Layout(Layout) {}

  const NeedMap &needs() const { return Needs; }
  const llvm::SetVector<Need> &kept() const { return Keep; }
  bool isKept(Need N) const { return Keep.contains(N); }
  /// What the reverse sweep may look up, whatever is kept.
  llvm::DenseSet<Need> readable() const;
  /// The replays that a need follows to.
  llvm::SmallPtrSet<const Replay *, 4> usedReplays() const;
  /// The loads kept by place that a need follows to.
  llvm::SmallPtrSet<const Original *, 4> usedOriginals() const;

  // The steps of the plan's builder.
  /// What the rules read. Tells `Calls` which arguments are given again.
  void collectNeeds(CallPlan &Calls);
  /// What the number of a loop's iterations is computed from has to be at hand.
  void collectCounts();
  /// An iteration of L that runs in the reverse sweep starts from these.
  void needWhatIterationsStartFrom(const llvm::Loop &L);
  /// The needs can be met with the last pivot in place of each.
  bool canSettle(const RunningPivot &R) const;
  /// Back to needs of before.
  void restore(NeedMap Before) { Needs = std::move(Before); }
  /// Chooses what is kept, given the needs.
  void choose();

private:
  /// Loads that are made again from what they lead to, for some need.
  llvm::SmallVector<const llvm::LoadInst *, 8> loadsMadeAgain() const;
  bool isFree(Need N, unsigned &Budget) const;
  bool givesAgain(const llvm::CallBase &C, const CallPlan &Calls) const;
  void keepAll();
  void cut();
  uint64_t price(Need N) const;
  uint64_t timesTrips(uint64_t Price, const llvm::Loop *L) const;
  bool isUnkept(Need N) const;

  const PlanSubject &Subject;
  const Recipes &How;
  const Deferrals &Deferred;
  const InertRegions &Inert;
  const TapeLayout &Layout;
  NeedMap Needs;
  llvm::SetVector<Need> Keep;
};

} // namespace retrograd

#endif
