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
// A number that a loop carries and that is stored to one element behind it is
// in a cell, or, if SumsInMemory, in that element meanwhile: the loop stores
// what it carries, and will be overwritten. Its first number was loaded from
// there, or is stored there in front of the loop. Nobody else may look at the
// element between (isSeenBetween). So loops around can change places, which a
// cell would tie.
//
// A loop that may not be entered has a phi behind it: the last number that it
// carried, or the first where it was not entered. The cell has both, if its
// first number is set where both ways begin (findMerges).
//
//===----------------------------------------------------------------------===//

#include "Loops/Raiser.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
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
      else if (std::optional<InMemory> Of = storedBehind(Phi)) {
        N.HasSums = true;
        if (SumsInMemory)
          MemoryOf[&Phi] = *Of;
      }
}

/// Is what Store stores the last number that Phi was, or the first where the
/// loop was not entered?
static bool stores(const StoreInst &Store, PHINode &Phi, const Loop &L) {
  const Value *V = Store.getValueOperand();
  const auto *Merge = dyn_cast<PHINode>(V);
  if (!Merge)
    return false;
  auto IsLast = [&](const Value *X) {
    const auto *Only = dyn_cast<PHINode>(X);
    return (Only && Only->getNumIncomingValues() == 1 && !L.contains(Only)
                ? Only->getIncomingValue(0)
                : X) == Phi.getIncomingValueForBlock(L.getLoopLatch());
  };
  return any_of(Merge->incoming_values(),
                [&](const Use &X) { return IsLast(X); });
}

/// Where in front of Phi's loop its first number may be stored to Store's
/// element: whenever that place is passed, Store is. Null: nowhere.
Instruction *Raiser::firstPlace(PHINode &Phi, StoreInst &Store) {
  Loop *L = N.LI.getLoopFor(Phi.getParent());
  BasicBlock *Front = L->getLoopPreheader();
  BasicBlock *B = N.DT.findNearestCommonDominator(Front, Store.getParent());
  auto *First = dyn_cast<Instruction>(Phi.getIncomingValueForBlock(Front));
  if (N.LI.getLoopFor(B) != L->getParentLoop() ||
      (First && !N.DT.dominates(First, B->getTerminator())) ||
      isl_set_is_equal(Domains.lookup(B).get(),
                       Domains.lookup(Store.getParent()).get()) !=
          isl_bool_true)
    return nullptr;
  return B->getTerminator();
}

/// Behind Phi's loop its last number is stored to one element, of which the
/// first was loaded, or to which it can be stored.
std::optional<InMemory> Raiser::storedBehind(PHINode &Phi) {
  Loop *L = N.LI.getLoopFor(Phi.getParent());
  if (L == &N.Outer || Phi.getParent() != L->getHeader() ||
      !Phi.getType()->isFloatingPointTy() || MemoryOf.count(&Phi))
    return std::nullopt;
  Loop *Around = L->getParentLoop();
  auto *First =
      dyn_cast<LoadInst>(Phi.getIncomingValueForBlock(L->getLoopPreheader()));
  if (First && (!is_contained(Accesses, First) ||
                N.LI.getLoopFor(First->getParent()) != Around))
    First = nullptr;
  for (Instruction *I : Accesses) {
    auto *Store = dyn_cast<StoreInst>(I);
    if (!Store || N.LI.getLoopFor(I->getParent()) != Around ||
        Store->getValueOperand()->getType() != Phi.getType() ||
        Rank[I->getParent()] <= Rank[L->getLoopLatch()] ||
        any_of(MemoryOf, [&](auto &Of) { return Of.second.Next == Store; }))
      continue;
    if (First &&
        SE.getSCEV(Store->getPointerOperand()) ==
            SE.getSCEV(First->getPointerOperand()) &&
        isl_set_is_equal(Domains.lookup(I->getParent()).get(),
                         Domains.lookup(First->getParent()).get()) ==
            isl_bool_true)
      return InMemory{Store, First, true};
    if (!stores(*Store, Phi, *L))
      continue;
    if (Instruction *Front = firstPlace(Phi, *Store))
      return InMemory{Store, Front, true};
  }
  return std::nullopt;
}

void Raiser::placeFirst(const InMemory &Of, Statement &S) {
  if (Of.storesFirst())
    placeAtEnd(S, Of.From->getParent());
  else
    place(S, Of.From->getParent(), indexOf(Of.From));
}

/// Of an element that Of's loop is to store: is it loaded by somebody else
/// between its first number and its last?
bool Raiser::isSeenBetween(const InMemory &Of) {
  Statement Begin, End;
  placeFirst(Of, Begin);
  place(End, Of.Next->getParent(), indexOf(Of.Next));
  Map Element = elements(Of.Next, End);
  Element = Map(isl_map_intersect_domain(Element.take(), End.Domain.copy()));
  End.Write.Where = std::move(Element);
  End.Write.Array = ArrayOf[Of.Next];
  Map From = time(Begin, Begin.Places, Begin.Loops.size()),
      To = time(End, End.Places, End.Loops.size());
  for (const Statement &S : N.Statements)
    for (const Access &R : S.Reads) {
      if (!R.I || !isa<LoadInst>(R.I) || R.I == Of.From)
        continue;
      Statement Own;
      place(Own, R.I->getParent(), indexOf(R.I));
      Access Here = {R.Array, elements(R.I, Own), R.I, -1, {}};
      if (meets(Here, Own, time(Own, Own.Places, Own.Loops.size()), End, From,
                To))
        return true;
    }
  return false;
}

/// Does A, of an instance of Of at the time At, touch what W writes, between
/// the times From and To of W?
bool Raiser::meets(const Access &A, const Statement &Of, const Map &At,
                   const Statement &W, const Map &From, const Map &To) {
  if (A.Array != W.Write.Array)
    return false;
  if (!A.Where)
    return true;
  Map Meets(isl_map_intersect_domain(A.Where.copy(), Of.Domain.copy()));
  Meets = Map(
      isl_map_apply_range(Meets.take(), isl_map_reverse(W.Write.Where.copy())));
  isl_space *Time = isl_space_range(isl_map_get_space(At.get()));
  auto Before = [&](const Map &X, const Map &Y) {
    return isl_map_apply_range(
        isl_map_apply_range(X.copy(), isl_map_lex_lt(isl_space_copy(Time))),
        isl_map_reverse(Y.copy()));
  };
  Meets =
      Map(isl_map_intersect(Meets.take(), isl_map_reverse(Before(From, At))));
  Meets = Map(isl_map_intersect(Meets.take(), Before(At, To)));
  isl_space_free(Time);
  return isl_map_is_empty(Meets.get()) != isl_bool_true;
}

bool Raiser::waits(const Statement &W, const Instruction &R) {
  if (W.K != Statement::Store || !isa<Constant>(W.V) || !isa<LoadInst>(R) ||
      Impatient.contains(W.At) || !runsWhere(W, R.getParent()) ||
      cast<StoreInst>(W.At)->getValueOperand() != W.V)
    return false;
  // Another reader may have asked in this round, or in an earlier one.
  return Waiting.insert(W.At) || W.Places.back() != latePlace(W.At);
}

/// Does anybody look for what W stores, or overwrite it, before W runs?
bool Raiser::isMissed(const Statement &W) {
  Statement Begin, End;
  place(Begin, W.At->getParent(), indexOf(W.At));
  const Map From = time(Begin, Begin.Places, Begin.Loops.size()),
            To = time(W, W.Places, W.Loops.size());
  for (const Statement &S : N.Statements) {
    for (const Access &R : S.Reads) {
      if (!R.I)
        continue;
      Statement Own;
      place(Own, R.I->getParent(), indexOf(R.I));
      Access Here = {R.Array, elements(R.I, Own), R.I, -1, {}};
      if (meets(Here, Own, time(Own, Own.Places, Own.Loops.size()), W, From,
                To))
        return true;
    }
    if (&S != &W && S.K == Statement::Store &&
        meets(S.Write, S, time(S, S.Places, S.Loops.size()), W, From, To))
      return true;
  }
  return false;
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

/// Is X what Carried was last, behind its loop L?
static bool isLast(Value *X, PHINode *Carried, const InMemory &Of,
                   const Loop &L) {
  auto *Only = dyn_cast<PHINode>(X);
  if (Only && Only != Carried && Only->getNumIncomingValues() == 1 &&
      !L.contains(Only))
    X = Only->getIncomingValue(0);
  return X == (Of.Behind ? Carried->getIncomingValueForBlock(L.getLoopLatch())
                         : Of.Next->getValueOperand());
}

/// Does a way lead from behind L to B, in one iteration of the loop around?
static bool isBehind(const BasicBlock *B, const Loop &L) {
  const Loop *Around = L.getParentLoop();
  SmallVector<const BasicBlock *, 8> Todo{L.getExitBlock()};
  SmallPtrSet<const BasicBlock *, 8> Seen;
  while (!Todo.empty()) {
    const BasicBlock *X = Todo.pop_back_val();
    if (!Around->contains(X) || X == Around->getHeader() ||
        !Seen.insert(X).second)
      continue;
    if (X == B)
      return true;
    append_range(Todo, successors(X));
  }
  return false;
}

PHINode *Raiser::inMemory(Value *V) {
  auto *Phi = cast<PHINode>(V);
  if (MemoryOf.count(Phi))
    return Phi;
  for (auto &[Carried, Of] : MemoryOf) {
    Loop *L = loopOf(Carried, Of);
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
      if (isLast(X, Carried, Of, *L) &&
          (L->contains(From) || L->contains(From->getSinglePredecessor())) &&
          none_of(*From, [&](Instruction &I) {
            return !L->contains(From) && I.mayWriteToMemory();
          }))
        Last = true;
      else if (X == First && N.DT.dominates(Of.From, Phi) &&
               !isBehind(From, *L))
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
    return placeFirst(Of, Own);
  placeAtEnd(Own, loopOf(Carried, Of)->getLoopPreheader());
}

bool Raiser::readMemory(PHINode *Carried, Value *V, Statement &S) {
  const InMemory Where = MemoryOf[Carried];
  StoreInst *Next = Where.Next;
  Loop *L = loopOf(Carried, Where);
  const bool Inside = V == Carried && Carried->getParent() == L->getHeader();
  const auto *Of = find(S.Loops, L);
  if (!is_contained(S.Loops, L->getParentLoop()))
    return fail("a number is used out of its loop", V);
  if (Inside != (Of != S.Loops.end()))
    return notInMemory(Carried);
  // An iteration reads it before it stores the next.
  if (Inside && S.At != Next && !Where.Behind) {
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

/// What Carried was last where From comes from its loop, and what it is first
/// where From leads past it.
static bool isMerge(PHINode &Phi, const PHINode &Carried, const Loop &L) {
  const Value *First = Carried.getIncomingValueForBlock(L.getLoopPreheader()),
              *Last = Carried.getIncomingValueForBlock(L.getLoopLatch());
  for (unsigned K = 0; K != Phi.getNumIncomingValues(); ++K) {
    const Value *X = Phi.getIncomingValue(K);
    const BasicBlock *From = Phi.getIncomingBlock(K);
    if (X == First && !L.contains(From) && !isBehind(From, L))
      continue;
    const auto *Only = dyn_cast<PHINode>(X);
    if (!Only || Only->getNumIncomingValues() != 1 ||
        Only->getParent() != L.getExitBlock() ||
        Only->getIncomingValue(0) != Last)
      return false;
  }
  return true;
}

void Raiser::findMerges() {
  MergeOf.clear();
  FirstAt.clear();
  for (BasicBlock *B : Order) {
    Loop *Around = N.LI.getLoopFor(B);
    if (B == Around->getHeader())
      continue;
    for (PHINode &Phi : B->phis()) {
      if (Phi.getNumIncomingValues() == 1 ||
          !Phi.getType()->isFloatingPointTy())
        continue;
      for (Cell &Of : N.Cells) {
        auto *Carried = cast<PHINode>(Of.V);
        const Loop *L = N.LI.getLoopFor(Carried->getParent());
        if (L->getParentLoop() != Around || !isMerge(Phi, *Carried, *L))
          continue;
        BasicBlock *Before = FirstAt.lookup(Carried);
        Before = N.DT.findNearestCommonDominator(
            Before ? Before : L->getLoopPreheader(), B);
        auto *First = dyn_cast<Instruction>(
            Carried->getIncomingValueForBlock(L->getLoopPreheader()));
        if (N.LI.getLoopFor(Before) != Around || Before == B ||
            (First && !N.DT.dominates(First, Before->getTerminator())))
          continue;
        FirstAt[Carried] = Before;
        MergeOf[&Phi] = Carried;
        break;
      }
    }
  }
}
