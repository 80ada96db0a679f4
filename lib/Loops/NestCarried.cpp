//===- NestCarried.cpp - what a loop carries and memory has, too ----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM does not load what it has just stored:
//
//   s = c[i][j];                        for (k...)
//   for (k...) {                          c[i][j] += a[i][k] * b[k][j];
//     s += a[i][k] * b[k][j];
//     c[i][j] = s;
//   }
//
// A cell s would tie the loop over k to its place: there is one such number for
// each i and j. In memory there is one, as the program says on the right. So a
// number is read from memory if the loop stores each of its values to the same
// element, which has its first value when the loop is entered, and if nothing
// else is stored there on the way (findMoved). Nothing more is stored than was.
//
// Where two such sums may share memory, the loop loads and stores, and only the
// number that it has stored last is used behind it without a load.
//
//===----------------------------------------------------------------------===//

#include "Loops/Raiser.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;
using namespace retrograd;
using namespace retrograd::loops;

void Raiser::findInMemory() {
  auto Where = [&](Instruction *I) {
    return SE.getSCEV(getLoadStorePointerOperand(I));
  };
  for (BasicBlock *B : Order) {
    Loop *L = N.LI.getLoopFor(B);
    if (L == &N.Outer || B != L->getHeader())
      continue;
    for (PHINode &Phi : B->phis()) {
      if (!Phi.getType()->isFloatingPointTy())
        continue;
      Value *First = Phi.getIncomingValueForBlock(L->getLoopPreheader()),
            *Next = Phi.getIncomingValueForBlock(L->getLoopLatch());
      for (Instruction *I : Accesses) {
        auto *Store = dyn_cast<StoreInst>(I);
        if (!Store || Store->getValueOperand() != Next ||
            N.LI.getLoopFor(I->getParent()) != L ||
            !N.DT.dominates(I->getParent(), L->getLoopLatch()) ||
            !SE.isLoopInvariant(Where(I), L))
          continue;
        Instruction *From = nullptr;
        for (Instruction *X : Accesses) {
          auto *Before = dyn_cast<StoreInst>(X);
          if ((Before ? Before->getValueOperand() == First : X == First) &&
              N.LI.getLoopFor(X->getParent()) == L->getParentLoop() &&
              N.DT.dominates(X, L->getLoopPreheader()->getTerminator()) &&
              Where(X) == Where(I) && (!From || N.DT.dominates(From, X)))
            From = X;
        }
        if (From && none_of(MemoryOf,
                            [&](auto &Of) { return Of.second.Next == Store; }))
          MemoryOf[&Phi] = {Store, From};
      }
    }
  }
  for (BasicBlock *B : Order)
    for (PHINode &Phi : B->phis())
      if (StoreInst *Next = storeOfLast(Phi))
        MemoryOf[&Phi] = {Next, nullptr};
}

/// The number that a loop has stored last, used behind it, where the loop
/// carries it in memory alone: LLVM knows what was stored.
StoreInst *Raiser::storeOfLast(PHINode &Phi) {
  auto *Last = dyn_cast<Instruction>(Phi.getIncomingValue(0));
  if (Phi.getNumIncomingValues() != 1 || !Last || !N.Outer.contains(Last) ||
      !Last->getType()->isFloatingPointTy())
    return nullptr;
  Loop *L = N.LI.getLoopFor(Last->getParent());
  if (N.LI.getLoopFor(Phi.getParent()) != L->getParentLoop() ||
      any_of(L->getHeader()->phis(), [&](PHINode &Carried) {
        return Carried.getIncomingValueForBlock(L->getLoopLatch()) == Last;
      }))
    return nullptr;
  for (Instruction *I : Accesses)
    if (auto *Store = dyn_cast<StoreInst>(I);
        Store && Store->getValueOperand() == Last &&
        N.LI.getLoopFor(I->getParent()) == L &&
        N.DT.dominates(I->getParent(), L->getLoopLatch()) &&
        SE.isLoopInvariant(SE.getSCEV(Store->getPointerOperand()), L))
      return Store;
  return nullptr;
}

/// Is X what Carried was last, behind its loop?
static bool isLast(Value *X, PHINode *Carried, const InMemory &Of) {
  auto *Only = dyn_cast<PHINode>(X);
  if (Only && Only != Carried && Only->getNumIncomingValues() == 1)
    X = Only->getIncomingValue(0);
  return X == Of.Next->getValueOperand();
}

PHINode *Raiser::inMemory(Value *V) {
  auto *Phi = cast<PHINode>(V);
  if (MemoryOf.count(Phi))
    return Phi;
  for (auto &[Carried, Of] : MemoryOf) {
    Loop *L = N.LI.getLoopFor(Of.Next->getParent());
    if (!Of.From || N.LI.getLoopFor(Phi->getParent()) != L->getParentLoop())
      continue;
    // Behind the loop, by each way: the last number, or where the loop was not
    // entered, the first, or what has been loaded from there.
    // The same element, wherever X runs?
    auto IsThere = [&](LoadInst *X) {
      Statement Own;
      place(Own, X->getParent(), indexOf(X));
      Map Here = elements(X, Own), There = elements(Of.Next, Own);
      if (!Here || !There || ArrayOf[X] != ArrayOf[Of.Next])
        return false;
      Here = Map(isl_map_intersect_domain(Here.take(), Own.Domain.copy()));
      There = Map(isl_map_intersect_domain(There.take(), Own.Domain.copy()));
      return isl_map_is_equal(Here.get(), There.get()) == isl_bool_true;
    };
    Value *First = Carried->getIncomingValueForBlock(L->getLoopPreheader());
    bool Last = false, Others = true;
    for (unsigned K = 0; K != Phi->getNumIncomingValues(); ++K) {
      Value *X = Phi->getIncomingValue(K);
      BasicBlock *From = Phi->getIncomingBlock(K);
      auto *Load = dyn_cast<LoadInst>(X);
      if (isLast(X, Carried, Of) &&
          (L->contains(From) || L->contains(From->getSinglePredecessor())) &&
          none_of(*From, [&](Instruction &I) {
            return !L->contains(From) && I.mayWriteToMemory();
          }))
        Last = true;
      else if (X == First && N.DT.dominates(Of.From, Phi))
        continue;
      else
        Others &= Load && Load->getParent() == From && IsThere(Load) &&
                  none_of(make_range(Load->getIterator(), From->end()),
                          [](Instruction &I) { return I.mayWriteToMemory(); });
    }
    if (Last && Others)
      return Carried;
  }
  return nullptr;
}

/// From there on, on the way to whoever reads V, nothing but Next may be stored
/// where V is: from where its first number is there, or from its loop on.
void Raiser::placeInMemory(PHINode *Carried, Value *V, Statement &Own) {
  const InMemory Of = MemoryOf.lookup(Carried);
  if (Of.From && N.DT.dominates(Of.From, cast<Instruction>(V)))
    return place(Own, Of.From->getParent(), indexOf(Of.From));
  placeAtEnd(Own, N.LI.getLoopFor(Of.Next->getParent())->getLoopPreheader());
}

bool Raiser::readMemory(PHINode *Carried, Value *V, Statement &S) {
  StoreInst *Next = MemoryOf[Carried].Next;
  Loop *L = N.LI.getLoopFor(Next->getParent());
  const bool Inside = V == Carried && Carried->getParent() == L->getHeader();
  const auto *Of = find(S.Loops, L);
  if (!is_contained(S.Loops, L->getParentLoop()))
    return fail("a number is used out of its loop", V);
  if (Inside != (Of != S.Loops.end()))
    return notInMemory(Carried);
  // An iteration reads it before it stores the next.
  if (Inside && S.At != Next) {
    Statement Own;
    place(Own, Next->getParent(), indexOf(Next));
    const unsigned Depth = Of - S.Loops.begin() + 1;
    if (S.Places[Depth] >= Own.Places[Depth])
      return notInMemory(Carried);
  }
  if (!addRead(Next, S))
    return false;
  S.FromMemory[V] = Next;
  return true;
}
