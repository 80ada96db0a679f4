//===- SpellExchangeLoops.cpp - additions by compare and exchange ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Problem:
//
//   unsigned long long *p = (unsigned long long *)address, old = *p, seen;
//   do {
//     seen = old;
//     old = atomicCAS(p, seen, __double_as_longlong(
//                                  value + __longlong_as_double(seen)));
//   } while (old != seen);
//
// Devices did not always add doubles atomically, so kernels have this loop.
// What a loop of compare and exchange computes may be any function of what was
// there, which has no derivative where threads come in an order that nobody
// keeps.
//
// Method: Where that function adds a number to what was there, takes one off,
// or keeps the larger or smaller of both, the loop is one atomic operation with
// the same result: `atomicrmw fadd` and its like, which have a derivative
// (docs/Atomics.md).
//
// Not handled: loops of more than one block, that compute more, or whose number
// is computed within.
//
//===----------------------------------------------------------------------===//

#include "Primal/PrimalSteps.h"
#include "Target/Target.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace retrograd;

namespace {

/// A block that repeats itself until nobody has come between.
struct ExchangeLoop {
  AtomicCmpXchgInst *Exchange = nullptr;
  PHINode *Seen = nullptr; ///< the bits that are compared with
  Instruction *Sum = nullptr;
  Value *Number = nullptr; ///< of the thread
  AtomicRMWInst::BinOp Op = AtomicRMWInst::BAD_BINOP;
  BasicBlock *Exit = nullptr;
};

} // namespace

/// V is what the exchange found, or what it was compared with: equal where the
/// loop ends.
static bool isFound(const Value *V, const ExchangeLoop &L) {
  return V == L.Seen || match(V, m_ExtractValue<0>(m_Specific(L.Exchange)));
}

/// Br goes round again where the exchange has failed.
static bool repeatsOnFailure(const BranchInst &Br, const ExchangeLoop &L) {
  const Value *Asks = Br.getCondition(), *Not;
  bool EndsIfTrue = Br.getSuccessor(0) == L.Exit;
  if (match(Asks, m_Not(m_Value(Not)))) {
    Asks = Not;
    EndsIfTrue = !EndsIfTrue;
  }
  if (match(Asks, m_ExtractValue<1>(m_Specific(L.Exchange))))
    return EndsIfTrue;
  const auto *C = dyn_cast<ICmpInst>(Asks);
  if (!C || !C->isEquality() || C->getOperand(0) == C->getOperand(1) ||
      !isFound(C->getOperand(0), L) || !isFound(C->getOperand(1), L))
    return false;
  return (C->getPredicate() == ICmpInst::ICMP_EQ) == EndsIfTrue;
}

/// What L.Sum makes of the number that was there and L.Number.
static bool findOperation(ExchangeLoop &L, const BasicBlock &B) {
  auto IsOld = [&](const Value *V) {
    return match(V, m_BitCast(m_Specific(L.Seen)));
  };
  Value *X = nullptr, *Y = nullptr;
  if (match(L.Sum, m_FAdd(m_Value(X), m_Value(Y))))
    L.Op = AtomicRMWInst::FAdd;
  else if (match(L.Sum, m_FSub(m_Value(X), m_Value(Y))))
    L.Op = AtomicRMWInst::FSub;
  else
    return false;
  if (!IsOld(X) && L.Op != AtomicRMWInst::FSub)
    std::swap(X, Y);
  const auto *Inside = dyn_cast<Instruction>(Y);
  L.Number = Y;
  return IsOld(X) && !(Inside && Inside->getParent() == &B);
}

static std::optional<ExchangeLoop> exchangeLoop(BasicBlock &B) {
  ExchangeLoop L;
  auto *Br = dyn_cast<BranchInst>(B.getTerminator());
  if (!Br || !Br->isConditional())
    return std::nullopt;
  for (unsigned K : {0, 1})
    if (Br->getSuccessor(K) == &B)
      L.Exit = Br->getSuccessor(1 - K);
  if (!L.Exit || L.Exit == &B)
    return std::nullopt;
  for (Instruction &I : B)
    if (auto *X = dyn_cast<AtomicCmpXchgInst>(&I)) {
      if (L.Exchange)
        return std::nullopt;
      L.Exchange = X;
    }
  if (!L.Exchange || L.Exchange->isVolatile())
    return std::nullopt;
  const auto *Place = dyn_cast<Instruction>(L.Exchange->getPointerOperand());
  L.Seen = dyn_cast<PHINode>(L.Exchange->getCompareOperand());
  Value *Sum = nullptr;
  if (!L.Seen || L.Seen->getParent() != &B ||
      (Place && Place->getParent() == &B) ||
      !match(L.Exchange->getNewValOperand(), m_BitCast(m_Value(Sum))) ||
      !isFound(L.Seen->getIncomingValueForBlock(&B), L) ||
      L.Seen->getIncomingValueForBlock(&B) == L.Seen)
    return std::nullopt;
  L.Sum = dyn_cast<Instruction>(Sum);
  if (!L.Sum || L.Sum->getParent() != &B ||
      !(L.Sum->getType()->isFloatTy() || L.Sum->getType()->isDoubleTy()) ||
      !findOperation(L, B) || !repeatsOnFailure(*Br, L))
    return std::nullopt;
  // Nothing else is done, and what is known behind the loop can be told.
  for (Instruction &I : B) {
    const bool Known = &I == L.Exchange || &I == L.Seen || &I == L.Sum ||
                       &I == Br || isFound(&I, L);
    if (!Known &&
        (isa<PHINode>(I) || I.mayHaveSideEffects() || I.mayReadFromMemory()))
      return std::nullopt;
    for (const User *U : I.users())
      if (cast<Instruction>(U)->getParent() != &B && &I != L.Sum &&
          !isFound(&I, L) && !match(&I, m_BitCast(m_Specific(L.Seen))))
        return std::nullopt;
  }
  return L;
}

static void rewrite(const ExchangeLoop &L) {
  BasicBlock &B = *L.Exchange->getParent();
  IRBuilder<> Builder(L.Exchange);
  AtomicRMWInst *Whole = Builder.CreateAtomicRMW(
      L.Op, L.Exchange->getPointerOperand(), L.Number, L.Exchange->getAlign(),
      L.Exchange->getSuccessOrdering(), L.Exchange->getSyncScopeID());
  Whole->copyMetadata(*L.Exchange,
                      {LLVMContext::MD_dbg, LLVMContext::MD_alias_scope,
                       LLVMContext::MD_noalias});
  // What was there, in whichever form it is asked for.
  SmallVector<Instruction *, 8> Old;
  for (Instruction &I : B)
    if (isFound(&I, L) || match(&I, m_BitCast(m_Specific(L.Seen))))
      Old.push_back(&I);
  auto Outside = [&](Use &U) {
    return cast<Instruction>(U.getUser())->getParent() != &B;
  };
  Value *Bits = nullptr;
  for (Instruction *I : Old) {
    Value *Told = Whole;
    if (!I->getType()->isFloatingPointTy()) {
      if (!Bits)
        Bits = Builder.CreateBitCast(Whole, I->getType());
      Told = Bits;
    }
    I->replaceUsesWithIf(Told, Outside);
  }
  if (any_of(L.Sum->uses(), Outside)) {
    Instruction *Again = L.Sum->clone();
    Again->insertAfter(Whole->getIterator());
    for (Use &U : Again->operands())
      if (match(U.get(), m_BitCast(m_Specific(L.Seen))))
        U.set(Whole);
    L.Sum->replaceUsesWithIf(Again, Outside);
  }
  // The loop ends where it begins.
  Value *First = nullptr;
  for (unsigned K = 0; K != L.Seen->getNumIncomingValues(); ++K)
    if (L.Seen->getIncomingBlock(K) != &B)
      First = L.Seen->getIncomingValue(K);
  Instruction *Br = B.getTerminator();
  BranchInst::Create(L.Exit, Br->getIterator());
  Br->eraseFromParent();
  L.Seen->replaceAllUsesWith(PoisonValue::get(L.Seen->getType()));
  L.Seen->eraseFromParent();
  SmallVector<Instruction *, 8> Dead;
  for (Instruction &I : reverse(B))
    if (&I == L.Exchange || wouldInstructionBeTriviallyDead(&I))
      Dead.push_back(&I);
  for (Instruction *I : Dead)
    if (I->use_empty())
      I->eraseFromParent();
  // What was read to begin with: nobody asks any more.
  auto *Load = dyn_cast_or_null<LoadInst>(First);
  if (Load && Load->use_empty() && !Load->isVolatile())
    Load->eraseFromParent();
}

bool retrograd::spellExchangeLoops(Function &F) {
  if (!Target(*F.getParent()).manyThreads())
    return false;
  bool Changed = false;
  for (BasicBlock &B : F)
    if (std::optional<ExchangeLoop> L = exchangeLoop(B)) {
      rewrite(*L);
      Changed = true;
    }
  return Changed;
}
