//===- Replays.cpp - arrays that each iteration fills anew ----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan/Replays.h"
#include "Catalogue/Catalogue.h"
#include "Plan/PlanSubject.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace retrograd;

/// Everything in F that touches the array: stores, loads. False if there is
/// anything else. Local: stores to other than fixed places count as something
/// else.
static bool usersOf(const Value &Array, const Function &F, bool Local,
                    SmallVectorImpl<const StoreInst *> &Stores,
                    SmallVectorImpl<const LoadInst *> &Loads) {
  SmallVector<std::pair<const Value *, bool>, 8> Work{
      {&Array, true}}; // and: place is fixed
  while (!Work.empty()) {
    auto [P, Fixed] = Work.pop_back_val();
    for (const User *U : P->users()) {
      const auto *I = dyn_cast<Instruction>(U);
      if (I && I->getFunction() != &F)
        continue;
      if (const auto *L = dyn_cast<LoadInst>(U)) {
        if (!L->isSimple())
          return false;
        Loads.push_back(L);
      } else if (const auto *S = dyn_cast<StoreInst>(U)) {
        if (S->getValueOperand() == P || (Local && !Fixed) || !S->isSimple())
          return false;
        Stores.push_back(S);
      } else if (const auto *G = dyn_cast<GEPOperator>(U)) {
        Work.push_back({G, Fixed && G->hasAllConstantIndices()});
      } else if (isa<AddrSpaceCastOperator>(U)) {
        Work.push_back({U, Fixed});
      } else if (const auto *II = dyn_cast<IntrinsicInst>(U);
                 !II || !II->isLifetimeStartOrEnd()) {
        return false;
      }
    }
  }
  return !Stores.empty() && !Loads.empty();
}

/// Each thread fills its part of Array in every iteration of one loop, and
/// reads after.
///
/// What a block shares is sound under these conditions. The stores go to places
/// that do not change with the iteration, and run in each of them: so a place
/// is written either in every iteration or never, and nothing older is ever
/// read. A barrier of the whole block separates all stores from all loads, and
/// none separates two stores, whose order would matter then. The loop has one
/// exit: the threads of a block run it equally often.
static bool findReplay(const Value &Array, bool Shared,
                       const PlanSubject &Subject,
                       SmallVectorImpl<Replay> &Replays) {
  Replay R;
  R.Array = &Array;
  R.Shared = Shared;
  SmallVector<const LoadInst *, 8> Loads;
  if (!usersOf(Array, Subject.F, !Shared, R.Stores, Loads))
    return false;
  R.Of = Subject.Shape.loops().getLoopFor(R.Stores.front()->getParent());
  const BasicBlock *Latch = R.Of ? R.Of->getLoopLatch() : nullptr;
  if (!Latch || !Subject.Shape.isLive(Latch))
    return false;
  auto EachTrip = [&](const StoreInst *S) {
    return Subject.Shape.loops().getLoopFor(S->getParent()) == R.Of &&
           Subject.DT.dominates(S->getParent(), Latch);
  };
  if (!all_of(R.Stores, EachTrip) ||
      !all_of(Loads, [&](const LoadInst *L) { return R.Of->contains(L); }))
    return false;
  // The reverse sweep fills the array where it enters an iteration by its
  // latch. An iteration that was left before is not entered there, and must not
  // have read.
  SmallPtrSet<BasicBlock *, 1> AtLatch{const_cast<BasicBlock *>(Latch)};
  SmallVector<BasicBlock *, 4> Exiting;
  R.Of->getExitingBlocks(Exiting);
  for (const BasicBlock *E : Exiting)
    if (E != Latch && any_of(Loads, [&](const LoadInst *L) {
          return isPotentiallyReachable(L->getParent(), E, &AtLatch);
        }))
      return false;
  if (!Shared) {
    for (const StoreInst *S : R.Stores)
      if (!all_of(Loads, [&](const LoadInst *L) {
            return Subject.DT.dominates(S, L);
          }))
        return false;
  } else {
    ScalarEvolution &SE = Subject.Shape.evolution();
    bool Separated = false;
    for (const BasicBlock *B : R.Of->blocks())
      for (const Instruction &I : *B) {
        const auto *C = dyn_cast<CallBase>(&I);
        const OperationRecord *Record =
            C ? Subject.facts().catalogue().lookup(I) : nullptr;
        if (!Record || Record->Handler != HandlerKind::Barrier)
          continue;
        if (all_of(R.Stores, [&](const StoreInst *S) {
              return Subject.DT.dominates(&I, S);
            }))
          continue;
        if (!all_of(R.Stores, [&](const StoreInst *S) {
              return Subject.DT.dominates(S, &I);
            }))
          return false;
        Separated |= Record->Id == "block_barrier" &&
                     Subject.DT.dominates(B, Latch) &&
                     Subject.Shape.loops().getLoopFor(B) == R.Of &&
                     all_of(Loads, [&](const LoadInst *L) {
                       return Subject.DT.dominates(&I, L);
                     });
      }
    if (!Separated || !R.Of->getExitingBlock() ||
        !all_of(R.Stores, [&](const StoreInst *S) {
          return SE.isLoopInvariant(
              SE.getSCEV(const_cast<Value *>(S->getPointerOperand())), R.Of);
        }))
      return false;
  }
  sort(R.Stores, [&](const StoreInst *X, const StoreInst *Y) {
    return Subject.DT.dominates(X, Y);
  });
  Replays.push_back(std::move(R));
  return true;
}

SmallVector<Replay, 2> retrograd::findReplays(const PlanSubject &Subject) {
  SmallVector<Replay, 2> Replays;
  if (!Subject.Machine.prefersRecomputation() || !Subject.Opts.ReplayOnDevice ||
      Subject.Split)
    return Replays;
  SetVector<const GlobalVariable *> Tiles;
  bool CallsOthers = false;
  for (const Instruction &I : instructions(Subject.F)) {
    if (const auto *A = dyn_cast<AllocaInst>(&I); A && A->isStaticAlloca())
      findReplay(*A, /*Shared=*/false, Subject, Replays);
    if (const auto *C = dyn_cast<CallBase>(&I))
      CallsOthers |=
          !isa<IntrinsicInst>(C) && !Subject.facts().catalogue().lookup(I);
    if (const Value *P = getLoadStorePointerOperand(&I))
      if (const auto *G =
              dyn_cast<GlobalVariable>(getUnderlyingObject(P, /*MaxLookup=*/0)))
        if (Subject.Machine.space(G->getAddressSpace()) ==
                MemorySpace::Shared &&
            !G->isDeclaration())
          Tiles.insert(G);
  }
  // Others may fill them, too.
  if (!CallsOthers && Subject.Opts.ReplaySharedOnDevice)
    for (const GlobalVariable *G : Tiles)
      findReplay(*G, /*Shared=*/true, Subject, Replays);
  return Replays;
}
