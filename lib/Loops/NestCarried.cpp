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
}

PHINode *Raiser::inMemory(Value *V) {
  auto *Phi = cast<PHINode>(V);
  if (MemoryOf.count(Phi))
    return Phi;
  auto IsLast = [](Value *X, PHINode *Carried, InMemory &Of) {
    auto *Only = dyn_cast<PHINode>(X);
    if (Only && Only != Carried && Only->getNumIncomingValues() == 1)
      X = Only->getIncomingValue(0);
    return X == Of.Next->getValueOperand();
  };
  for (auto &[Carried, Of] : MemoryOf) {
    Loop *L = N.LI.getLoopFor(Carried->getParent());
    // Behind the loop, by each way: the last number, or where the loop was not
    // entered, the first.
    if (N.LI.getLoopFor(Phi->getParent()) != L->getParentLoop() ||
        !N.DT.dominates(Of.From, Phi))
      continue;
    Value *First = Carried->getIncomingValueForBlock(L->getLoopPreheader());
    bool Last = false, Other = false;
    for (Value *X : Phi->incoming_values())
      if (IsLast(X, Carried, Of))
        Last = true;
      else
        Other |= X != First;
    if (Last && !Other)
      return Carried;
  }
  return nullptr;
}

bool Raiser::readMemory(PHINode *Carried, Value *V, Statement &S) {
  StoreInst *Next = MemoryOf[Carried].Next;
  Loop *L = N.LI.getLoopFor(Carried->getParent());
  const auto *Of = find(S.Loops, L);
  if (!is_contained(S.Loops, L->getParentLoop()))
    return fail("a number is used out of its loop", V);
  if ((V == Carried) != (Of != S.Loops.end()))
    return notInMemory(Carried);
  // An iteration reads it before it stores the next.
  if (V == Carried && S.At != Next) {
    Statement Own;
    place(Own, Next->getParent(), indexOf(Next));
    const unsigned Depth = Of - S.Loops.begin() + 1;
    if (S.Places[Depth] >= Own.Places[Depth])
      return notInMemory(Carried);
  }
  Access A;
  A.I = Next;
  A.Array = ArrayOf[Next];
  A.Where = elements(Next, S);
  if (!A.Where)
    return fail("an address that is not affine", Next);
  A.Strides = strides(Next, S);
  S.Reads.push_back(A);
  S.FromMemory[V] = Next;
  return true;
}
