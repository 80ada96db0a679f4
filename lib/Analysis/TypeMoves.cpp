//===- TypeMoves.cpp - integers that are moved and never used -------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An access of type `int` says little of four bytes that are taken from one
// place of memory to another: they may be half of a double. It says more where
// the same place is seen to hold an index.
//
//===----------------------------------------------------------------------===//

#include "Analysis/KeptNumber.h"
#include "Analysis/TypeModel.h"
#include "Support/SourceFact.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

/// `int` says little of four bytes that are taken from one place to another:
/// they may be half of a double. Values that meet are one web, which is as much
/// of an integer as any of its uses and sources.
void TypeAnalysis::Impl::findMoves(const Function &F) {
  EquivalenceClasses<const Value *> Webs;
  SmallPtrSet<const Value *, 16> Used;
  auto IsJoint = [](const Value *V) {
    return isa<PHINode, SelectInst, FreezeInst>(V);
  };
  for (const Instruction &I : instructions(F)) {
    if (!I.getType()->isIntegerTy() || !(isa<LoadInst>(I) || IsJoint(&I)))
      continue;
    Webs.insert(&I);
    for (const Use &U : I.uses()) {
      const User *By = U.getUser();
      if (IsJoint(By) && By->getType() == I.getType())
        Webs.unionSets(&I, By);
      else if (const auto *S = dyn_cast<StoreInst>(By);
               !S || S->getValueOperand() != &I)
        Used.insert(&I);
    }
  }
  SmallPtrSet<const Value *, 16> UsedWebs;
  for (const Value *V : Used)
    UsedWebs.insert(Webs.getLeaderValue(V));
  auto OnlyMoves = [&](const Value *V) {
    auto It = Webs.findLeader(V);
    return It != Webs.member_end() && !UsedWebs.contains(*It);
  };
  for (const Instruction &I : instructions(F)) {
    const auto *S = dyn_cast<StoreInst>(&I);
    if ((isa<LoadInst>(I) ? OnlyMoves(&I)
                          : S && OnlyMoves(S->getValueOperand())) &&
        !isDeclaredInteger(I))
      Moves.insert(&I);
  }
}

/// The loaded integer, or what is computed from it, is an index into memory.
static bool isUsedAsIndex(const LoadInst &L) {
  SmallVector<const Value *, 8> Work{&L};
  SmallPtrSet<const Value *, 16> Seen{&L};
  while (!Work.empty() && Seen.size() < 64)
    for (const User *U : Work.pop_back_val()->users()) {
      if (isa<GetElementPtrInst>(U))
        return true;
      if (isa<CastInst, PHINode, SelectInst, FreezeInst>(U) ||
          isa<BinaryOperator>(U))
        if (U->getType()->isIntegerTy() && Seen.insert(U).second)
          Work.push_back(U);
    }
  return false;
}

void TypeAnalysis::Impl::findIndices(const Function &F) {
  for (const Instruction &I : instructions(F))
    if (const auto *L = dyn_cast<LoadInst>(&I);
        L && L->getType()->isIntegerTy() &&
        L->getType()->getIntegerBitWidth() >= 32 && isUsedAsIndex(*L))
      IndexPlaces.push_back(pointer(L->getPointerOperand()));
    else if (const Value *P = getLoadStorePointerOperand(&I);
             P && getLoadStoreType(const_cast<Instruction *>(&I))
                      ->isFloatingPointTy())
      FloatPlaces.push_back(pointer(P));
}

void TypeAnalysis::Impl::PlacesOfObject::add(Position P) {
  // Indices are of four bytes at least: what is seen to step closer says
  // nothing.
  constexpr int64_t Closest = 4;
  if (P.exact())
    Exact.insert(P.Off);
  else if (P.Stride >= Closest)
    Strided.insert({floorMod(P.Off, P.Stride), P.Stride});
}

bool TypeAnalysis::Impl::PlacesOfObject::covers(Position P) const {
  return (P.exact() && Exact.contains(P.Off)) ||
         any_of(Strided, [P](std::pair<int64_t, int64_t> Known) {
           return P.Stride % Known.second == 0 &&
                  floorMod(P.Off, Known.second) == Known.first;
         });
}

/// Where pointers point is known: which places hold indices.
void TypeAnalysis::Impl::settleIndices() {
  DenseMap<unsigned, PlacesOfObject> Floats;
  for (Var V : FloatPlaces)
    if (Position P = G.positionOf(V); P.valid())
      Floats[P.Obj].add(P);
  // Enums of Rust hold numbers and indices by turns: then an index says nothing
  // of the others.
  for (Var V : IndexPlaces) {
    Position P = G.positionOf(V);
    auto It = P.valid() ? Floats.find(P.Obj) : Floats.end();
    if (P.valid() && (It == Floats.end() || !It->second.covers(P)))
      Indices[P.Obj].add(P);
  }
}

bool TypeAnalysis::Impl::isIndexPlace(const Value *P) const {
  Position At = G.positionOf(lookupPointer(P));
  auto It = At.valid() ? Indices.find(At.Obj) : Indices.end();
  return It != Indices.end() && It->second.covers(At);
}

/// The source has an integer here, and no integers for numbers anywhere.
bool TypeAnalysis::Impl::isMoveOfInteger(const Instruction &I) const {
  const Module &M = *I.getModule();
  return hasFact(M, SourceFact::PlainIntegers) &&
         !hasFact(M, SourceFact::CopiesBits) && hasIntegerTag(I);
}

/// Where pointers point is known: what moves between indices is integers
/// indeed, and so is what no number can be.
void TypeAnalysis::Impl::settleMoves() {
  settleIndices();
  SmallVector<const Instruction *, 8> Settled;
  for (Function *F : Functions)
    for (const Instruction &I : instructions(*F))
      if (Moves.contains(&I)) {
        const bool Plain = isMoveOfInteger(I);
        if (Plain)
          PlainMoves.insert(&I);
        if (Plain || isIndexPlace(getLoadStorePointerOperand(&I)))
          Settled.push_back(&I);
      }
  for (const Instruction *I : Settled) {
    Moves.erase(I);
    G.CurrentOrigin = Origins.lookup(I->getFunction());
    const Value *V =
        isa<LoadInst>(I) ? I : cast<StoreInst>(I)->getValueOperand();
    seedInteger(V, Trust::Strong);
    seed(pointer(getLoadStorePointerOperand(I)), 0, sizeOf(V->getType()),
         {ByteKind::Integer, nullptr}, Trust::Strong);
  }
  G.CurrentOrigin = ObjectGraph::NoOrigin;
}
