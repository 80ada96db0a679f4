//===- LateResults.cpp - what waits for the results of loops --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit/LateResults.h"
#include "Emit/FunctionShell.h"
#include "Emit/PrimalEmitter.h"
#include "Plan/DerivativePlan.h"

using namespace llvm;
using namespace retrograd;

/// A place that holds what Def was last. Where control has not come by Def,
/// nobody uses what it holds. With poison there LLVM takes it for Def wherever
/// Def dominates, so that what is read and computed from it in a deferred loop
/// is one with what the reverse of the iteration reads and computes from Def;
/// with undef it may not, since Def might be poison.
AllocaInst *LateResults::overStack(Instruction *Def) {
  AllocaInst *&Slot = OverStack[Def];
  if (!Slot) {
    Slot = entryAlloca(D, Def->getType(), Def->getName() + ".over");
    IRBuilder<>(Slot->getNextNode())
        .CreateStore(PoisonValue::get(Def->getType()), Slot);
    BasicBlock::iterator At = afterDefinition(Def);
    IRBuilder<>(At->getParent(), At).CreateStore(Def, Slot);
  }
  return Slot;
}

AllocaInst *LateResults::carried(const PHINode &Phi) {
  AllocaInst *&Slot = Carried[&Phi];
  if (!Slot)
    Slot = entryAlloca(D, Phi.getType(), Phi.getName() + ".carried");
  return Slot;
}

/// What goes from one iteration of L to the next, and what comes out of the
/// last one, goes over the stack. Before and Latch are blocks of the
/// derivative. What waits for a loop in L is not there yet: see
/// finishIteration().
void LateResults::carry(const Loop &L, BasicBlock &Before, BasicBlock &Latch) {
  IRBuilder<> AtFront(Before.getTerminator()), AtLatch(Latch.getTerminator());
  auto Clone = [&](const PHINode &Phi) {
    return cast<PHINode>(Primal.primal(&Phi));
  };
  auto CarryOn = [&](const PHINode &Phi) {
    if (!isLate(Phi.getIncomingValueForBlock(L.getLoopLatch())))
      AtLatch.CreateStore(Clone(Phi)->getIncomingValueForBlock(&Latch),
                          carried(Phi));
  };
  for (const PHINode &Phi : L.getExitBlock()->phis())
    CarryOn(Phi);
  for (const PHINode &Phi : L.getHeader()->phis())
    if (!Plan.isComputedPhi(Phi)) {
      AtFront.CreateStore(Clone(Phi)->getIncomingValueForBlock(&Before),
                          carried(Phi));
      CarryOn(Phi);
    }
}

/// At the end of an iteration's reverse: what L carries and what waited for the
/// results of deferred loops in L.
void LateResults::finishIteration(const Loop &L) {
  SmallVector<std::pair<Value *, AllocaInst *>, 8> Results;
  auto CarryOn = [&](const PHINode &Phi) {
    const Value *V = Phi.getIncomingValueForBlock(L.getLoopLatch());
    if (isLate(V))
      Results.push_back({value(V), carried(Phi)});
  };
  for (const PHINode &Phi : L.getExitBlock()->phis())
    CarryOn(Phi);
  for (const PHINode &Phi : L.getHeader()->phis())
    if (!Plan.isComputedPhi(Phi))
      CarryOn(Phi);
  for (auto [V, Slot] : Results)
    B.CreateStore(V, Slot);
  Late.clear(); // holds here alone
}

/// Phi is what comes out of a loop that carries its results.
bool LateResults::isCarriedOut(const PHINode &Phi) const {
  if (Phi.getNumIncomingValues() != 1)
    return false;
  const Loop *From = Plan.shape().loops().getLoopFor(Phi.getIncomingBlock(0));
  return From && !From->contains(&Phi) && Plan.carriesResults(From);
}

/// V comes out of a loop that carries its results, or is made of what does.
/// Within a loop that carries its own: in the same iteration of it.
bool LateResults::isLate(const Value *V) {
  const auto *I = dyn_cast<Instruction>(V);
  LoopInfo &LI = Plan.shape().loops();
  if (!I)
    return false;
  if (const Loop *In = LI.getLoopFor(I->getParent());
      In && (!Plan.carriesResults(In) ||
             (isa<PHINode>(I) && I->getParent() == In->getHeader())))
    return false;
  auto [It, New] = Waits.try_emplace(V, false);
  if (!New)
    return It->second;
  const auto *Phi = dyn_cast<PHINode>(I);
  bool Waiting =
      (Phi && isCarriedOut(*Phi)) ||
      ((Phi || Plan.isRepeatable(*I)) &&
       any_of(I->operands(), [&](const Use &U) { return isLate(U); }));
  return Waits[V] = Waiting;
}

/// A phi of which some values are late. Which way control came was seen on the
/// way.
Value *LateResults::latePhi(const PHINode &Phi) {
  if (isCarriedOut(Phi))
    return B.CreateLoad(Phi.getType(), carried(Phi));
  AllocaInst *Way = entryAlloca(D, B.getInt32Ty(), Phi.getName() + ".way");
  Value *Came = B.CreateLoad(B.getInt32Ty(), Way);
  Value *Result = nullptr;
  for (unsigned I = 0; I != Phi.getNumIncomingValues(); ++I) {
    if (!Plan.shape().isLive(Phi.getIncomingBlock(I)))
      continue;
    auto *End = cast<BasicBlock>(Primal.primal(Phi.getIncomingBlock(I)))
                    ->getTerminator();
    IRBuilder<>(End).CreateStore(B.getInt32(I), Way);
    Value *V = value(Phi.getIncomingValue(I));
    Result =
        Result ? B.CreateSelect(B.CreateICmpEQ(Came, B.getInt32(I)), V, Result)
               : V;
  }
  return Result;
}

/// V of the primal, at the end of the derivative or, in a loop, of an
/// iteration's reverse.
Value *LateResults::value(const Value *V) {
  if (Value *Known = Late.lookup(V))
    return Known;
  Value *Made;
  if (!isLate(V)) {
    Made = Primal.primal(V);
    if (auto *Def = dyn_cast<Instruction>(Made))
      Made = B.CreateLoad(Def->getType(), overStack(Def));
  } else if (const auto *Phi = dyn_cast<PHINode>(V)) {
    Made = latePhi(*Phi);
  } else {
    Instruction *Again = cast<Instruction>(Primal.primal(V))->clone();
    for (auto [U, Operand] :
         zip(Again->operands(), cast<Instruction>(V)->operands()))
      U.set(value(Operand));
    Made = B.Insert(Again);
  }
  return Late[V] = Made;
}

/// Stores that wait for what deferred loops carry, where control came by them.
void LateResults::emitStores() {
  for (const StoreInst *S : Plan.lateStores()) {
    auto *Early = cast<StoreInst>(Primal.primal(S));
    AllocaInst *Came = entryAlloca(D, B.getInt1Ty(), "rg.late");
    IRBuilder<>(Came->getNextNode()).CreateStore(B.getFalse(), Came);
    IRBuilder<>(Early).CreateStore(B.getTrue(), Came);
    B.SetCurrentDebugLocation(Early->getDebugLoc());
    Value *V = value(S->getValueOperand()),
          *Place = value(S->getPointerOperand());
    BasicBlock *Do = BasicBlock::Create(D.getContext(), "rg.late", &D);
    BasicBlock *Next = BasicBlock::Create(D.getContext(), "rg.late.next", &D);
    B.CreateCondBr(B.CreateLoad(B.getInt1Ty(), Came), Do, Next);
    B.SetInsertPoint(Do);
    B.CreateAlignedStore(V, Place, S->getAlign());
    B.CreateBr(Next);
    B.SetInsertPoint(Next);
    Early->eraseFromParent();
  }
}
