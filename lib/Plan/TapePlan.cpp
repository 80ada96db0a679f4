//===- TapePlan.cpp - which values are kept -------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/TapePlan.h"
#include "Catalogue/Catalogue.h"
#include "Plan/CallPlan.h"
#include "Plan/InertRegions.h"
#include "Plan/MinCut.h"
#include "Plan/TapeLayout.h"
#include "Rules/Rules.h"
#include "Support/CallBinding.h"
#include "llvm/IR/DataLayout.h"

using namespace llvm;
using namespace retrograd;

/// N is had in the reverse sweep without a slot; or, in a joint derivative,
/// with one that is there once: a register.
bool TapePlan::isFree(Need N, unsigned &Budget) const {
  N = How.canonical(N);
  if (isa<Constant>(N.Of))
    return true;
  if (!Budget || (N.K != Need::Primal && N.K != Need::Shadow))
    return false;
  --Budget;
  Recipe R = How.recipe(N);
  switch (R.K) {
  case Recipe::Available:
    return true;
  case Recipe::Compute:
    if (all_of(R.Inputs, [&](Need In) { return isFree(In, Budget); }))
      return true;
    [[fallthrough]];
  case Recipe::Source:
    return !Subject.Split && !Layout.scopeOf(N);
  }
  llvm_unreachable("covered switch");
}

/// The integers and pointers that C gives its callee cost nothing to have
/// again: then the caller's reverse hands them over, and no call of it keeps
/// them.
bool TapePlan::givesAgain(const CallBase &C, const CallPlan &Calls) const {
  // A rule keeps what it needs by itself.
  if (!Subject.Opts.ArgsAgain ||
      (Subject.Opts.Plan == PlanKind::Naive &&
       !Subject.Request.WholeAdditions) ||
      Subject.Machine.manyThreads() || Calls.hasRule(C) ||
      startsWork(*directCallee(C)))
    return false;
  unsigned Budget = 100;
  bool Any = false;
  for (const Value *A : C.args()) {
    if (!DerivativeRequest::canBeGivenAgain(*A))
      continue;
    Any = true;
    if (!isFree({Need::Primal, A}, Budget) ||
        (Subject.Activity.hasShadow(A) && !isFree({Need::Shadow, A}, Budget)))
      return false;
  }
  return Any && C.arg_size() == directCallee(C)->arg_size();
}

void TapePlan::collectNeeds(CallPlan &Calls) {
  for (BasicBlock &B : Subject.F) {
    if (!Subject.Shape.isLive(&B) || Inert.contains(&B))
      continue;
    auto Sink = [&](Need N) {
      N = How.canonical(N);
      if (!isa<Constant>(N.Of))
        Needs[N].insert(&B);
    };
    for (Instruction &I : B)
      if (hasReverse(I, Subject.Activity)) {
        if (auto *C = dyn_cast<CallBase>(&I);
            C && Calls.action(*C) == CallAction::Derivative) {
          Sink({Need::Tape, C});
          if (givesAgain(*C, Calls)) {
            Calls.giveArgsAgain(*C);
            for (const Value *A : C->args())
              if (DerivativeRequest::canBeGivenAgain(*A)) {
                Sink({Need::Primal, A});
                if (Subject.Activity.hasShadow(A))
                  Sink({Need::Shadow, A});
              }
          }
          continue;
        }
        visitNeeds(I, Subject.Activity, Sink);
      }
    // A loop header is told apart by the iteration counter.
    bool IsHeader = Subject.Shape.loops().isLoopHeader(&B);
    if (!IsHeader && !Inert.inFrontOf(&B) && How.predecessorsOf(&B).size() > 1)
      Sink({Need::Pred, &B});
  }
}

/// What the number of a loop's iterations is computed from has to be at hand.
void TapePlan::collectCounts() {
  for (const Loop *L : Subject.Shape.loops().getLoopsInPreorder())
    if (Subject.Shape.isLive(L->getHeader()) &&
        !Inert.contains(L->getHeader()) && !How.constantCount(L) &&
        How.countInputs(L))
      Needs[{Need::Count, L->getHeader()}].insert(L->getLoopPreheader());
}

void TapePlan::needWhatIterationsStartFrom(const Loop &L) {
  for (const PHINode &Phi : L.getHeader()->phis()) {
    if (!How.isComputedPhi(Phi))
      continue;
    for (Need::Kind K : {Need::Primal, Need::Shadow}) {
      Need N{K, &Phi};
      if (How.canonical(N).K != K)
        continue;
      for (Need In : How.recipe(N).Inputs)
        if (In = How.canonical(In); !isa<Constant>(In.Of))
          Needs[In].insert(L.getHeader());
    }
  }
}

/// What the reverse sweep may look up, whatever is kept.
DenseSet<Need> TapePlan::readable() const {
  DenseSet<Need> Read;
  SmallVector<Need, 0> Work(make_first_range(Needs));
  while (!Work.empty()) {
    Need N = How.canonical(Work.pop_back_val());
    if (isa<Constant>(N.Of) || !Read.insert(N).second)
      continue;
    append_range(Work, How.recipe(N).Inputs);
  }
  return Read;
}

void TapePlan::keepAll() {
  SmallVector<Need, 0> Work;
  for (auto &[N, Blocks] : Needs)
    Work.push_back(N);
  DenseSet<Need> Seen;
  while (!Work.empty()) {
    Need N = How.canonical(Work.pop_back_val());
    Recipe R = How.recipe(N);
    if (R.K == Recipe::Available || isa<Constant>(N.Of) ||
        !Seen.insert(N).second)
      continue;
    if (R.K == Recipe::Compute && isUnkept(N))
      append_range(Work, R.Inputs);
    else
      Keep.insert(N);
  }
}

/// What changes with the pivot is made again from the last one, and what is
/// made of it is a number: a comparison would come out otherwise.
bool TapePlan::canSettle(const RunningPivot &R) const {
  return none_of(readable(), [&](Need N) {
    Recipe Made = How.recipe(N);
    if (R.Shifted.contains(N.Of) &&
        (N.K != Need::Primal || R.Unfollowed.contains(N.Of) ||
         Made.K != Recipe::Compute))
      return N.K != Need::Final;
    return !N.Of->getType()->isFloatingPointTy() &&
           any_of(Made.Inputs, [&](Need In) {
             return In.K == Need::Primal && R.Shifted.contains(In.Of);
           });
  });
}

/// A pointer into a view leads nowhere once it was in memory; a number that is
/// another one in the reverse sweep is none of the primal's.
bool TapePlan::isUnkept(Need N) const {
  if (N.K == Need::Primal && How.isShifted(N.Of))
    return true;
  return Subject.Request.WholeAdditions &&
         (N.K == Need::Primal || N.K == Need::Shadow) &&
         N.Of->getType()->isPointerTy();
}

static constexpr uint64_t MaxPrice = uint64_t(1) << 50;

/// Bytes of tape that keeping N costs: its size times how often its scope
/// runs. Unknown trip counts are guessed. In a joint derivative what does not
/// vary with a loop stays in a register or on the stack: nearly free.
uint64_t TapePlan::price(Need N) const {
  if (isUnkept(N))
    return MaxPrice << 4;
  if (N.K == Need::Snapshot) {
    const Snapshot &S = How.snapshotWith(N.Of);
    return timesTrips(S.Share, S.Innermost);
  }
  uint64_t Price = Subject.F.getDataLayout()
                       .getTypeAllocSize(Layout.typeOf(N))
                       .getFixedValue() *
                   16;
  const Loop *L = Layout.scopeOf(N);
  if (!L)
    return Subject.Split ? Price : 1;
  if (Deferred.isDeferred(L))
    return 1;
  return timesTrips(Price, L);
}

/// Price for each iteration of L.
uint64_t TapePlan::timesTrips(uint64_t Price, const Loop *L) const {
  constexpr uint64_t GuessedTrips = 128;
  for (; L && !Deferred.isDeferred(L); L = L->getParentLoop()) {
    Price *= std::min<uint64_t>(
        How.constantCount(L).value_or(GuessedTrips - 1) + 1, 1 << 20);
    Price = std::min(Price, MaxPrice);
  }
  return Price;
}

void TapePlan::cut() {
  MinCut Graph;
  DenseMap<Need, unsigned> Vertex;
  SmallVector<Need, 0> Order;
  auto VertexOf = [&](Need N) {
    auto [It, New] = Vertex.try_emplace(N, 0);
    if (New) {
      It->second = Graph.addVertex(price(N));
      Order.push_back(N);
    }
    return It->second;
  };
  for (auto &[N, Blocks] : Needs)
    if (How.recipe(N).K != Recipe::Available)
      Graph.markSink(VertexOf(N));
  for (size_t I = 0; I != Order.size(); ++I) {
    Need N = Order[I];
    Recipe R = How.recipe(N);
    if (R.K == Recipe::Source)
      Graph.markSource(Vertex[N]);
    // Reading from an array that is kept takes time, as much as a byte of tape:
    // the sum of many neighbours is kept.
    if (const auto *L = dyn_cast<LoadInst>(N.Of);
        L && N.K == Need::Primal && R.K == Recipe::Compute &&
        !How.canRepeat(*L) && How.snapshotOf(*L))
      Graph.addCost(Vertex[N], timesTrips(16, Layout.scopeOf(N)));
    for (Need In : R.Inputs) {
      In = How.canonical(In);
      if (isa<Constant>(In.Of) || How.recipe(In).K == Recipe::Available)
        continue;
      unsigned From = VertexOf(In);
      Graph.addEdge(From, Vertex[N]);
    }
  }
  BitVector Chosen = Graph.solve();
  for (size_t I = 0; I != Order.size(); ++I)
    if (Chosen.test(I))
      Keep.insert(Order[I]);
}

SmallVector<const LoadInst *, 8> TapePlan::loadsMadeAgain() const {
  SmallVector<const LoadInst *, 8> Used;
  SmallVector<Need, 0> Work;
  DenseSet<Need> Seen;
  for (auto &[N, Blocks] : Needs)
    Work.push_back(How.canonical(N));
  while (!Work.empty()) {
    Need N = Work.pop_back_val();
    if (isa<Constant>(N.Of) || isKept(N) || !Seen.insert(N).second)
      continue;
    if (const auto *L = dyn_cast<LoadInst>(N.Of);
        L && N.K == Need::Primal && !How.canRepeat(*L))
      Used.push_back(L);
    for (Need In : How.recipe(N).Inputs)
      Work.push_back(How.canonical(In));
  }
  return Used;
}

SmallPtrSet<const Replay *, 4> TapePlan::usedReplays() const {
  SmallPtrSet<const Replay *, 4> Used;
  if (How.hasReplays())
    for (const LoadInst *L : loadsMadeAgain())
      if (const Replay *R = How.replayOf(*L))
        Used.insert(R);
  return Used;
}

SmallPtrSet<const Original *, 4> TapePlan::usedOriginals() const {
  SmallPtrSet<const Original *, 4> Used;
  if (How.hasOriginals())
    for (const LoadInst *L : loadsMadeAgain())
      if (const Original *O = How.originalOf(*L))
        Used.insert(O);
  return Used;
}

void TapePlan::choose() {
  Keep.clear();
  if (Subject.Opts.Plan == PlanKind::Naive)
    keepAll();
  else
    cut();
}
