//===- DerivativePlan.h - everything decided for one derivative -*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plan says, for one prepared primal and one activity of its arguments, how
// the reverse sweep gets each primal value it needs, where kept values live,
// and what happens to each call. Each question has a class of its own:
// Legality, CallPlan, AccumulationPlan, Replays, Choices, Recipes, TapePlan,
// TapeLayout. A builder runs them in order. The plan is complete and final when
// its constructor returns, before any IR is written; it prints, and verifies.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PLAN_DERIVATIVEPLAN_H
#define RETROGRAD_PLAN_DERIVATIVEPLAN_H

#include "Plan/AccumulationPlan.h"
#include "Plan/CallPlan.h"
#include "Plan/Choices.h"
#include "Plan/Deferrals.h"
#include "Plan/FormatTrap.h"
#include "Plan/InertRegions.h"
#include "Plan/PlanSubject.h"
#include "Plan/Recipes.h"
#include "Plan/Replays.h"
#include "Plan/TapeLayout.h"
#include "Plan/TapePlan.h"

namespace retrograd {

class DerivativePlan {
public:
  /// `Uniform`: of the derivative that the user asked for, the parameters that
  /// all threads are called with alike. None for what it calls.
  DerivativePlan(llvm::Function &F, const DerivativeRequest &Request,
                 const ActivityAnalysis &Activity,
                 const OverwriteAnalysis &Overwrite, const LoopShape &Shape,
                 llvm::DominatorTree &DT, bool Split, const Options &Opts,
                 std::optional<llvm::BitVector> Uniform = std::nullopt);
  DerivativePlan(const DerivativePlan &) = delete;

  llvm::Function &primal() const { return Subject.F; }
  const DerivativeRequest &request() const { return Subject.Request; }
  const ActivityAnalysis &activity() const { return Subject.Activity; }
  const ProgramFacts &facts() const { return Subject.facts(); }
  const LoopShape &shape() const { return Subject.Shape; }
  bool isSplit() const { return Subject.Split; }
  const Options &options() const { return Subject.Opts; }

  /// What cannot be differentiated; empty if the plan can be emitted.
  llvm::ArrayRef<Refusal> refusals() const { return Refusals; }
  /// What ends the program where it is reached.
  llvm::ArrayRef<FormatTrap> formatTraps() const { return Traps; }

  // Needs and their recipes: see Recipes and TapePlan.
  Need canonical(Need N) const { return How.canonical(N); }
  Recipe recipe(Need N) const { return How.recipe(N); }
  /// What the rules read, in the order of the primal.
  llvm::SmallVector<Need, 0> needs() const {
    return llvm::to_vector<0>(llvm::make_first_range(Tape.needs()));
  }
  bool isKept(Need N) const { return Tape.isKept(N); }
  llvm::SmallVector<const llvm::BasicBlock *, 4>
  predecessorsOf(const llvm::BasicBlock *B) const {
    return How.predecessorsOf(B);
  }
  /// The reverse sweep comes to B: a return can be reached from it, and
  /// something there or in front of it has a reverse.
  bool isReversed(const llvm::BasicBlock *B) const {
    return Subject.Shape.isLive(B) && !Inert.contains(B);
  }
  /// Where the reverse sweep goes on behind B, by the way that led there.
  llvm::SmallVector<const llvm::BasicBlock *, 4>
  reversedBehind(const llvm::BasicBlock *B) const {
    if (const llvm::BasicBlock *Before = Inert.inFrontOf(B))
      return {Before};
    return How.predecessorsOf(B);
  }
  std::optional<DecidedJoin> decidedJoin(const llvm::BasicBlock *B) const {
    return How.decidedJoin(B);
  }
  std::optional<DecidedWays> decidedWays(const llvm::BasicBlock *B) const {
    return How.decidedWays(B);
  }
  std::optional<DecidedByBranches>
  decidingBranches(const llvm::BasicBlock *B) const {
    return How.decidingBranches(B);
  }
  bool isSelect(const llvm::PHINode &Phi) const { return How.isSelect(Phi); }
  bool isComputedPhi(const llvm::PHINode &Phi) const {
    return How.isComputedPhi(Phi);
  }
  bool roundingChanges() const { return How.roundingChanges(); }
  bool isRepeatable(const llvm::Instruction &I) const {
    return How.isRepeatable(I);
  }
  bool canRepeat(const llvm::LoadInst &L) const { return How.canRepeat(L); }
  std::optional<llvm::SmallVector<Need, 4>>
  countInputs(const llvm::Loop *L) const {
    return How.countInputs(L);
  }
  std::optional<uint64_t> constantCount(const llvm::Loop *L) const {
    return How.constantCount(L);
  }
  const llvm::Loop *countHome(const llvm::Loop *L) const {
    return How.countHome(L);
  }

  // Storage: see TapeLayout.
  const llvm::Loop *scopeOf(Need N) const { return Layout.scopeOf(N); }
  const Scope &scope(const llvm::Loop *L) const { return Layout.scope(L); }
  const Slot *slot(Need N) const { return Layout.slot(N); }
  llvm::Type *typeOf(Need N) const { return Layout.typeOf(N); }
  bool rewindsTape(const llvm::Loop *L) const { return Layout.rewinds(L); }

  // Adjoints: see AccumulationPlan.
  Accumulation accumulation(const llvm::LoadInst &L) const {
    return Accumulations.accumulation(L);
  }
  llvm::StringRef reasonOfAccumulation(const llvm::LoadInst &L) const {
    return Accumulations.reasonOfAccumulation(L);
  }
  /// Other threads of a team may add to adjoints behind P at the time.
  bool othersAdd(const llvm::Value *P) const {
    return Accumulations.company() == ThreadModel::Team &&
           !Accumulations.isThreadsOwn(P);
  }
  bool addInOrder() const { return Accumulations.addInOrder(); }
  const llvm::Argument *copiedForBlock(const llvm::LoadInst &L) const {
    return Accumulations.copiedForBlock(L);
  }
  Taking taking(const llvm::StoreInst &S) const {
    return Accumulations.taking(S);
  }
  AtomicPlace atomicPlace(const llvm::AtomicRMWInst &M) const {
    return Accumulations.atomicPlace(M);
  }
  const ThreadOwnership::Condition &ownershipOfAtomics() const {
    return Accumulations.ownershipOfAtomics();
  }
  bool addsWithinReach() const { return Accumulations.addsWithinReach(); }
  llvm::ArrayRef<OneWriter::Condition> seedConditions() const {
    return Accumulations.seedConditions();
  }
  const ThreadOwnership::Condition *ownership() const {
    return Accumulations.ownership();
  }

  // Calls: see CallPlan.
  CallAction action(const llvm::CallBase &C) const { return Calls.action(C); }
  DerivativeRequest calleeRequest(const llvm::CallBase &C) const {
    return Calls.calleeRequest(C);
  }
  bool hasRule(const llvm::CallBase &C) const { return Calls.hasRule(C); }

  /// The choice that L makes; null if none.
  const Choice *choiceIn(const llvm::Loop *L) const { return Chosen.in(L); }
  /// The choice that V is the condition of; null if none.
  const Choice *choiceBy(const llvm::Value *V) const { return Chosen.by(V); }
  /// The choice that Phi is the running extremum of; null if none.
  const Choice *runningChoice(const llvm::PHINode *Phi) const {
    return Chosen.running(Phi);
  }
  /// See Recipes.
  const RunningPivot *settledBy(const llvm::Value *V) const {
    return How.settledBy(V);
  }
  bool isShifted(const llvm::Value *V) const { return How.isShifted(V); }
  const llvm::StoreInst *heldBy(const llvm::Value *V) const {
    return How.heldBy(V);
  }
  llvm::ArrayRef<Replay> replays() const { return Replays; }
  llvm::ArrayRef<Original> originals() const { return Originals; }
  const Original *originalOf(const llvm::LoadInst &L) const {
    return How.canRepeat(L) ? nullptr : How.originalOf(L);
  }
  llvm::ArrayRef<Snapshot> snapshots() const { return Snapshots; }
  const Snapshot *snapshotOf(const llvm::LoadInst &L) const {
    return How.canRepeat(L) || originalOf(L) ? nullptr : How.snapshotOf(L);
  }

  /// L does not run in the primal sweep: the reverse sweep runs each iteration
  /// of it before it reverses it (DeferredLoops.h). What an iteration keeps in
  /// L's own scope is kept like what the function keeps.
  bool isDeferred(const llvm::Loop *L) const { return Deferred.isDeferred(L); }
  llvm::ArrayRef<const llvm::Loop *> deferredLoops() const {
    return Deferred.Loops.getArrayRef();
  }
  /// A deferred loop whose results are asked for: its iterations run in the
  /// primal's order.
  bool carriesResults(const llvm::Loop *L) const {
    return Deferred.Carrying.contains(L);
  }
  /// L runs in the primal sweep, keeping what each iteration starts from, and
  /// the reverse sweep runs each iteration again.
  bool runsAgain(const llvm::Loop *L) const {
    return Deferred.Again.contains(L);
  }
  bool hasBlockBarrier(const llvm::Loop &L) const;
  /// Left out where loops run again.
  llvm::ArrayRef<const llvm::StoreInst *> onceStores() const {
    return Deferred.OnceStores;
  }
  /// What waits for results that deferred loops carry, until the reverse sweep
  /// is over: stores in the order of the program.
  llvm::ArrayRef<const llvm::StoreInst *> lateStores() const {
    return Deferred.LateStores;
  }
  bool returnsLate() const { return Deferred.LateReturn; }
  /// Left out: nobody looks at what they write.
  llvm::ArrayRef<const llvm::StoreInst *> unneededStores() const {
    return Unneeded.getArrayRef();
  }

  void print(llvm::raw_ostream &OS) const;
  /// Every need is met, from slots and recipes alone; every slot's scope is
  /// enclosed by the loops of its readers. Returns the first violation.
  std::optional<std::string> verify() const;

private:
  friend class PlanBuilder;

  const PlanSubject Subject;
  CallPlan Calls;
  AccumulationPlan Accumulations;
  llvm::SmallVector<Refusal, 2> Refusals;
  llvm::SmallVector<FormatTrap, 0> Traps;
  llvm::SmallSetVector<const llvm::StoreInst *, 4> Unneeded;
  llvm::SmallVector<Replay, 2> Replays;
  llvm::SmallVector<Original, 2> Originals;
  llvm::SmallVector<Snapshot, 2> Snapshots;
  Choices Chosen;
  llvm::SmallVector<const RunningPivot *, 1> Settled;
  Deferrals Deferred;
  InertRegions Inert;
  Recipes How;
  TapeLayout Layout;
  TapePlan Tape;
};

} // namespace retrograd

#endif
