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
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace retrograd;

/// Everything in F that touches the array: stores, loads. False if there is
/// anything else. Local: stores to other than fixed places count as something
/// else.
static bool usersOf(const Value &Array, const Function &F, bool Local,
                    SmallVectorImpl<Replay::Filling> &Stores,
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
        Stores.push_back({S});
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

/// V is never greater in a later iteration of L (Down) or never less (else), as
/// a signed number. What would wrap around is poison, and decides no branch.
static bool goesOneWay(const Value *V, const Loop &L, bool Down,
                       unsigned Depth = 0) {
  constexpr unsigned Most = 6;
  if (L.isLoopInvariant(V))
    return true;
  if (Depth == Most)
    return false;
  auto Goes = [&](const Value *W, bool Way) {
    return goesOneWay(W, L, Way, Depth + 1);
  };
  const Value *X, *Y;
  if (match(V, m_NSWSub(m_Value(X), m_Value(Y))))
    return Goes(X, Down) && Goes(Y, !Down);
  if (match(V, m_NSWAdd(m_Value(X), m_Value(Y))) ||
      match(V, m_SMin(m_Value(X), m_Value(Y))) ||
      match(V, m_SMax(m_Value(X), m_Value(Y))))
    return Goes(X, Down) && Goes(Y, Down);
  const auto *Phi = dyn_cast<PHINode>(V);
  const BasicBlock *Latch = L.getLoopLatch();
  const APInt *Step;
  if (!Phi || Phi->getParent() != L.getHeader() || !Latch)
    return false;
  const Value *Next = Phi->getIncomingValueForBlock(Latch);
  if (match(Next, m_NSWAdd(m_Specific(Phi), m_APInt(Step))))
    return Down ? !Step->isStrictlyPositive() : !Step->isNegative();
  return match(Next, m_NSWSub(m_Specific(Phi), m_APInt(Step))) &&
         (Down ? !Step->isNegative() : !Step->isStrictlyPositive());
}

/// Once V is not OnTrue in an iteration of L, it is not in any later one.
static bool staysAway(const Value *V, bool OnTrue, const Loop &L) {
  if (L.isLoopInvariant(V))
    return true;
  const Value *X, *Y;
  if (OnTrue ? match(V, m_LogicalAnd(m_Value(X), m_Value(Y)))
             : match(V, m_LogicalOr(m_Value(X), m_Value(Y))))
    return staysAway(X, OnTrue, L) && staysAway(Y, OnTrue, L);
  const auto *Compare = dyn_cast<ICmpInst>(V);
  if (!Compare || Compare->isEquality() ||
      !(Compare->isSigned() || Compare->hasSameSign()))
    return false;
  CmpInst::Predicate P = Compare->getSignedPredicate();
  if (!OnTrue)
    P = CmpInst::getInversePredicate(P);
  // X < Y: X must not fall, nor Y rise.
  const bool Less = ICmpInst::isLT(P) || ICmpInst::isLE(P);
  return goesOneWay(Compare->getOperand(0), L, /*Down=*/!Less) &&
         goesOneWay(Compare->getOperand(1), L, /*Down=*/Less);
}

/// The condition that S runs under in an iteration of R.Of, which R gets to
/// know; false if it is none that the reverse sweep can ask.
///
/// A place that an iteration leaves alone keeps what an earlier one wrote. The
/// reverse sweep comes from later ones: they must have left it alone, too. So
/// must other runs of the loop, of which none must come behind this one.
static bool findCondition(Replay::Filling &S, const Loop &Of,
                          const PlanSubject &Subject) {
  const BasicBlock *Block = S.Store->getParent(), *Latch = Of.getLoopLatch();
  if (Subject.Shape.loops().getLoopFor(Block) != &Of)
    return false;
  if (Subject.DT.dominates(Block, Latch))
    return true;
  const BasicBlock *From = Block->getSinglePredecessor();
  const auto *Br = From ? dyn_cast<BranchInst>(From->getTerminator()) : nullptr;
  if (!Br || !Br->isConditional() || !Block->getSingleSuccessor() ||
      Of.getParentLoop() || Subject.Shape.loops().getLoopFor(From) != &Of ||
      !Subject.DT.dominates(From, Latch))
    return false;
  S.Condition = Br->getCondition();
  S.OnTrue = Br->getSuccessor(0) == Block;
  return staysAway(S.Condition, S.OnTrue, Of);
}

/// What decides whether S runs, or S itself.
static const Instruction *place(const Replay::Filling &S) {
  return S.Condition
             ? S.Store->getParent()->getSinglePredecessor()->getTerminator()
             : S.Store;
}

/// Each thread fills its part of Array in every iteration of one loop, and
/// reads after.
///
/// What a block shares is sound under these conditions. The stores go to places
/// that do not change with the iteration, and run in each of them, or in each
/// up to some one (findCondition). A barrier of the whole block separates all
/// stores from all loads, and none separates two stores, whose order would
/// matter then. The loop has one exit: the threads of a block run it equally
/// often.
static bool findReplay(const Value &Array, bool Shared,
                       const PlanSubject &Subject,
                       SmallVectorImpl<Replay> &Replays) {
  Replay R;
  R.Array = &Array;
  R.Shared = Shared;
  SmallVector<const LoadInst *, 8> Loads;
  if (!usersOf(Array, Subject.F, !Shared, R.Stores, Loads))
    return false;
  R.Of = Subject.Shape.loops().getLoopFor(R.Stores.front().Store->getParent());
  const BasicBlock *Latch = R.Of ? R.Of->getLoopLatch() : nullptr;
  if (!Latch || !Subject.Shape.isLive(Latch))
    return false;
  if (!all_of(R.Stores,
              [&](Replay::Filling &S) {
                return findCondition(S, *R.Of, Subject) &&
                       (Shared || !S.Condition);
              }) ||
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
    for (const Replay::Filling &S : R.Stores)
      if (!all_of(Loads, [&](const LoadInst *L) {
            return Subject.DT.dominates(S.Store, L);
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
        if (all_of(R.Stores, [&](const Replay::Filling &S) {
              return Subject.DT.dominates(&I, place(S));
            }))
          continue;
        if (!all_of(R.Stores, [&](const Replay::Filling &S) {
              return !(S.Condition && I.getParent() == S.Store->getParent()) &&
                     Subject.DT.dominates(place(S), &I);
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
        !all_of(R.Stores, [&](const Replay::Filling &S) {
          return SE.isLoopInvariant(
              SE.getSCEV(const_cast<Value *>(S.Store->getPointerOperand())),
              R.Of);
        }))
      return false;
  }
  sort(R.Stores, [&](const Replay::Filling &X, const Replay::Filling &Y) {
    if (X.Store->getParent() == Y.Store->getParent())
      return X.Store->comesBefore(Y.Store);
    // Of the two sides of a branch only one runs.
    const Instruction *PX = place(X), *PY = place(Y);
    return PX == PY ? X.OnTrue && !Y.OnTrue : Subject.DT.dominates(PX, PY);
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
