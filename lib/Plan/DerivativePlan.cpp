//===- DerivativePlan.cpp - everything decided for one derivative ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/DerivativePlan.h"
#include "Catalogue/Catalogue.h"
#include "Plan/DeferredLoops.h"
#include "Plan/Legality.h"
#include "llvm/ADT/PostOrderIterator.h"

using namespace llvm;
using namespace retrograd;

namespace retrograd {
/// Fills the parts of a plan, in the order in which they need each other.
class PlanBuilder {
public:
  explicit PlanBuilder(DerivativePlan &Plan)
      : Plan(Plan), Subject(Plan.Subject), Tape(Plan.Tape), Layout(Plan.Layout),
        Deferred(Plan.Deferred) {}

  void run(std::optional<BitVector> Uniform);

private:
  void findUnneededStores();
  void settle();
  void choose();
  bool isWorthDeferring(const Loop &L) const;
  bool isWorthRunningAgain(const Loop &L) const;
  void defer();
  void checkMemory();

  DerivativePlan &Plan;
  const PlanSubject &Subject;
  TapePlan &Tape;
  TapeLayout &Layout;
  Deferrals &Deferred;
};
} // namespace retrograd

DerivativePlan::DerivativePlan(Function &F, const DerivativeRequest &Request,
                               const ActivityAnalysis &Activity,
                               const OverwriteAnalysis &Overwrite,
                               const LoopShape &Shape, DominatorTree &DT,
                               bool Split, const Options &Opts,
                               std::optional<BitVector> Uniform)
    : Subject{F,         Request, Activity,
              Overwrite, Shape,   DT,
              Split,     Opts,    Target(*F.getParent())},
      Calls(Subject), Accumulations(Subject, Calls),
      How(Subject, Replays, Originals, Snapshots, Chosen, Settled, Deferred),
      Layout(Subject, How, Deferred, Inert),
      Tape(Subject, How, Deferred, Inert, Layout) {
  PlanBuilder(*this).run(std::move(Uniform));
}

void PlanBuilder::run(std::optional<BitVector> Uniform) {
  if (Uniform)
    Plan.Accumulations.setUniform(*Uniform);
  Legality Asked(Subject, Plan.Calls, Plan.Accumulations);
  Plan.Refusals = Asked.collectRefusals();
  Plan.Traps = Asked.takeTraps();
  if (!Plan.Refusals.empty())
    return;
  if (Uniform)
    Plan.Accumulations.findOwnership();
  // A tangent sweep runs along with the primal and needs nothing kept.
  if (Subject.Request.Mode == DerivativeMode::Forward)
    return;
  Plan.Accumulations.findOwnWork();
  findUnneededStores();
  Plan.Replays = findReplays(Subject);
  Plan.Originals = findOriginals(Subject);
  Plan.Snapshots = findSnapshots(Subject);
  Plan.Chosen = Choices(Subject, Plan.Calls);
  Plan.Inert = InertRegions(Subject, Plan.Replays);
  Tape.collectNeeds(Plan.Calls);
  Tape.collectCounts();
  settle();
  choose();
  if (Subject.Opts.Plan != PlanKind::Naive)
    defer();
  checkMemory();
}

/// What the user does not need (DupNoNeed), and the function itself never
/// reads: stores through a parameter whose memory nothing else leads to, and
/// that does nothing else.
void PlanBuilder::findUnneededStores() {
  if (Subject.Split)
    return;
  for (const Argument &A : Subject.F.args()) {
    if (Subject.Request.Args[A.getArgNo()] != ArgActivity::DupNoNeed ||
        !A.hasNoAliasAttr())
      continue;
    SmallVector<const StoreInst *, 8> Stores;
    SmallVector<const Value *, 8> Work{&A};
    bool OnlyStores = true;
    while (OnlyStores && !Work.empty()) {
      const Value *P = Work.pop_back_val();
      for (const User *U : P->users()) {
        if (isa<GetElementPtrInst>(U) || isa<AddrSpaceCastInst>(U)) {
          Work.push_back(U);
          continue;
        }
        const auto *S = dyn_cast<StoreInst>(U);
        OnlyStores = S && S->isSimple() && S->getValueOperand() != P &&
                     S->getValueOperand()->getType()->isFPOrFPVectorTy();
        if (!OnlyStores)
          break;
        Stores.push_back(S);
      }
    }
    if (OnlyStores)
      Plan.Unneeded.insert_range(Stores);
  }
}

/// Running maxima that are replaced by the last of them: nothing depends on
/// which numbers they are.
void PlanBuilder::settle() {
  if (Subject.Opts.Plan == PlanKind::Naive || !Subject.Opts.LastExtremum)
    return;
  for (const RunningPivot &R : Subject.Activity.shifts().running()) {
    Plan.Settled.push_back(&R);
    if (!Tape.canSettle(R))
      Plan.Settled.pop_back();
  }
}

/// What is kept, and where.
void PlanBuilder::choose() {
  Tape.choose();
  SmallPtrSet<const Replay *, 4> Used = Tape.usedReplays();
  for (Replay &R : Plan.Replays)
    R.Used = Used.contains(&R);
  SmallPtrSet<const Original *, 4> ByPlace = Tape.usedOriginals();
  for (Original &O : Plan.Originals)
    O.Used = ByPlace.contains(&O);
  Layout.layOut(Tape.kept());
}

/// Loops whose iterations keep something, and that may as well run in the
/// reverse sweep. An innermost loop can be vectorised in the primal sweep, as
/// it is or for its longer part, and hardly beside its reverse, which adds to
/// memory: that is worth more than the tape, unless memory is what is short.
/// Nor is a number or two for a whole run of the loops within worth that an
/// iteration waits for the reverse of the one before. On a machine with many
/// threads nothing is vectorised, and what is not kept is computed, and read, a
/// second time.
bool PlanBuilder::isWorthDeferring(const Loop &L) const {
  if (Subject.Machine.manyThreads())
    return any_of(L.blocks(), [&](const BasicBlock *B) {
      return Subject.Shape.isLive(B) && any_of(*B, [&](const Instruction &I) {
               return hasReverse(I, Subject.Activity);
             });
    });
  if (Subject.Opts.Memory)
    return Layout.keepsWithin(L);
  constexpr uint64_t FewBytes = 16;
  return !L.isInnermost() &&
         (Layout.bytesOfIteration(L) > FewBytes || Layout.mostBytesWithin(L));
}

/// Loops within L keep something, and how much of it nobody knows before the
/// program runs, or it is more than registers hold.
bool PlanBuilder::isWorthRunningAgain(const Loop &L) const {
  constexpr uint64_t MostInRegisters = 256;
  return Subject.Machine.manyThreads() && Subject.Opts.RunAgainOnDevice &&
         Layout.mostBytesWithin(L) > MostInRegisters;
}

void PlanBuilder::defer() {
  // Where the program may end, it does so in its own order.
  if (!Subject.Opts.DeferLoops || Subject.Split || !Plan.Traps.empty())
    return;
  DenseSet<Need> Read = Tape.readable();
  LoopDeferral Deferral(Subject, Plan.Calls, Plan.How, Deferred,
                        Plan.unneededStores(), Read);
  SmallPtrSet<const StoreInst *, 8> Late;
  auto Try = [&](const Loop &L) {
    LateUses Uses;
    if (!isWorthDeferring(L) || !Deferral.isDeferrable(L, Uses))
      return false;
    Deferred.Loops.insert(&L);
    if (Uses.any())
      Deferred.Carrying.insert(&L);
    Late.insert_range(Uses.Stores);
    Deferred.LateReturn |= Uses.Return;
    Tape.needWhatIterationsStartFrom(L);
    Read = Tape.readable();
    choose();
    return true;
  };
  auto TryAgain = [&](const Loop &L) {
    SmallVector<const StoreInst *, 4> Once;
    if (!isWorthRunningAgain(L) || !Deferral.canRunAgain(L, Once))
      return;
    Deferred.Loops.insert(&L);
    Deferred.Again.insert(&L);
    Deferred.OnceStores.append(Once);
    Tape.needWhatIterationsStartFrom(L);
    Read = Tape.readable();
    choose();
  };
  for (const Loop *L :
       reverse(Subject.Shape.loops())) { // in the order of the program
    if (!Try(*L)) {
      TryAgain(*L);
      continue;
    }
    if (!Subject.Opts.DeferNests)
      continue;
    for (const Loop *Inner : reverse(*L)) {
      auto Before = Tape.needs();
      LateUses Uses;
      if (!Try(*Inner) || Deferral.isDeferrable(*L, Uses))
        continue;
      // What the inner loop starts from is nothing that the reverse sweep may
      // ask for.
      Deferred.Loops.remove(Inner);
      Deferred.Carrying.erase(Inner);
      Tape.restore(std::move(Before));
      Read = Tape.readable();
      choose();
    }
  }
  for (const BasicBlock *B :
       ReversePostOrderTraversal<const Function *>(&Subject.F))
    for (const Instruction &I : *B)
      if (const auto *S = dyn_cast<StoreInst>(&I); S && Late.contains(S))
        Deferred.LateStores.push_back(S);
}

bool DerivativePlan::hasBlockBarrier(const Loop &L) const {
  return any_of(L.blocks(), [&](const BasicBlock *B) {
    return any_of(*B, [&](const Instruction &I) {
      const OperationRecord *R =
          isa<CallInst>(I) ? facts().catalogue().lookup(I) : nullptr;
      return R && R->Id == "block_barrier";
    });
  });
}

void PlanBuilder::checkMemory() {
  if (!Subject.Opts.Memory)
    return;
  if (uint64_t Bytes = Layout.certainBytes(); Bytes > Subject.Opts.Memory)
    Plan.Refusals.push_back(
        {RefusalKind::Memory, &Subject.F.getEntryBlock().front(),
         std::to_string(Bytes) + " bytes, and " +
             std::to_string(Subject.Opts.Memory) + " are allowed"});
}
