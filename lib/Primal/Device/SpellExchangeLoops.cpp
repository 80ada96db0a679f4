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
// (docs/Atomics.md). A maximum may be written as a loop that goes on while the
// number is larger than what was found: one block behind the same question, or
// a block that asks and one that exchanges. LLVM may choose among the bits of
// both, instead of among the numbers. Where what was there is no number
// at all (NaN), a maximum takes the other one, and such a loop does not; a
// derivative has nothing to say there.
//
// Not handled: loops of more than one block, that compute more, or whose number
// is computed within.
//
//===----------------------------------------------------------------------===//

#include "Catalogue/Catalogue.h"
#include "Primal/PrimalSteps.h"
#include "Target/Target.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
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
  /// It goes on while Number would change what was found.
  bool WhileLarger = false;
  /// Asks the same in front of the loop, of what it has read.
  BranchInst *Guard = nullptr;
  /// The block that asks, if it is another one than the exchange's.
  BasicBlock *Asks = nullptr;
};

} // namespace

/// V is what the exchange found, or what it was compared with: equal where the
/// loop ends.
static bool isFound(const Value *V, const ExchangeLoop &L) {
  return V == L.Seen || match(V, m_ExtractValue<0>(m_Specific(L.Exchange)));
}

/// Asks is true where the exchange has failed.
static bool asksForFailure(const Value *Asks, const ExchangeLoop &L) {
  const Value *Not;
  if (match(Asks, m_Not(m_Value(Not))))
    return match(Not, m_ExtractValue<1>(m_Specific(L.Exchange)));
  const auto *C = dyn_cast<ICmpInst>(Asks);
  return C && C->getPredicate() == ICmpInst::ICMP_NE &&
         C->getOperand(0) != C->getOperand(1) && isFound(C->getOperand(0), L) &&
         isFound(C->getOperand(1), L);
}

/// The same of success.
static bool asksForSuccess(const Value *Asks, const ExchangeLoop &L) {
  const Value *Not;
  if (match(Asks, m_Not(m_Value(Not))))
    return asksForFailure(Not, L);
  if (match(Asks, m_ExtractValue<1>(m_Specific(L.Exchange))))
    return true;
  const auto *C = dyn_cast<ICmpInst>(Asks);
  return C && C->getPredicate() == ICmpInst::ICMP_EQ &&
         C->getOperand(0) != C->getOperand(1) && isFound(C->getOperand(0), L) &&
         isFound(C->getOperand(1), L);
}

/// Br goes round again where the exchange has failed.
static bool repeatsOnFailure(const BranchInst &Br, const ExchangeLoop &L) {
  return Br.getSuccessor(0) == L.Exit ? asksForSuccess(Br.getCondition(), L)
                                      : asksForFailure(Br.getCondition(), L);
}

/// FMax where P asks whether Number is larger than what was there, FMin where
/// it asks whether it is smaller.
static AtomicRMWInst::BinOp extremumOf(CmpInst::Predicate P) {
  switch (P) {
  case FCmpInst::FCMP_OGT:
  case FCmpInst::FCMP_OGE:
  case FCmpInst::FCMP_UGT:
  case FCmpInst::FCMP_UGE:
    return AtomicRMWInst::FMax;
  case FCmpInst::FCMP_OLT:
  case FCmpInst::FCMP_OLE:
  case FCmpInst::FCMP_ULT:
  case FCmpInst::FCMP_ULE:
    return AtomicRMWInst::FMin;
  default:
    return AtomicRMWInst::BAD_BINOP;
  }
}

/// Asks, or its opposite, compares Number with one of those that IsOld knows:
/// which of the two remains. BAD_BINOP if it does not.
static AtomicRMWInst::BinOp
remainsWhere(const Value *Asks, bool IsTrue, const Value *Number,
             function_ref<bool(const Value *)> IsOld) {
  const auto *C = dyn_cast<FCmpInst>(Asks);
  if (!C)
    return AtomicRMWInst::BAD_BINOP;
  CmpInst::Predicate P = IsTrue ? C->getPredicate() : C->getInversePredicate();
  if (C->getOperand(0) == Number && IsOld(C->getOperand(1)))
    return extremumOf(P);
  if (C->getOperand(1) == Number && IsOld(C->getOperand(0)))
    return extremumOf(CmpInst::getSwappedPredicate(P));
  return AtomicRMWInst::BAD_BINOP;
}

/// Whether V is known in front of the loop B.
static bool isFromOutside(const Value *V, const BasicBlock &B) {
  const auto *I = dyn_cast<Instruction>(V);
  return !I || I->getParent() != &B;
}

/// What L.Sum makes of the number that was there and L.Number.
static bool findOperation(ExchangeLoop &L, const BasicBlock &B,
                          const Catalogue &Cat) {
  auto IsOld = [&](const Value *V) {
    return match(V, m_BitCast(m_Specific(L.Seen)));
  };
  Value *X = nullptr, *Y = nullptr;
  if (match(L.Sum, m_FAdd(m_Value(X), m_Value(Y)))) {
    L.Op = AtomicRMWInst::FAdd;
  } else if (match(L.Sum, m_FSub(m_Value(X), m_Value(Y)))) {
    L.Op = AtomicRMWInst::FSub;
  } else if (auto *C = dyn_cast<CallBase>(L.Sum)) {
    const OperationRecord *R = Cat.lookup(*C);
    if (!R || C->arg_size() != 2)
      return false;
    L.Op = is_contained({"fmax", "device_max"}, R->Id)   ? AtomicRMWInst::FMax
           : is_contained({"fmin", "device_min"}, R->Id) ? AtomicRMWInst::FMin
                                                         : L.Op;
    X = C->getArgOperand(0);
    Y = C->getArgOperand(1);
  } else if (auto *S = dyn_cast<SelectInst>(L.Sum)) {
    const bool NumberIfTrue = IsOld(S->getFalseValue());
    X = NumberIfTrue ? S->getFalseValue() : S->getTrueValue();
    Y = NumberIfTrue ? S->getTrueValue() : S->getFalseValue();
    L.Op = remainsWhere(S->getCondition(), NumberIfTrue, Y, IsOld);
  }
  if (L.Op == AtomicRMWInst::BAD_BINOP)
    return false;
  if (!IsOld(X) && L.Op != AtomicRMWInst::FSub)
    std::swap(X, Y);
  L.Number = Y;
  return IsOld(X) && isFromOutside(Y, B);
}

/// S chooses among the bits of a number and those that were there, by comparing
/// the two.
static bool findChoice(ExchangeLoop &L, SelectInst &S, const BasicBlock &B) {
  const bool NumberIfTrue = S.getFalseValue() == L.Seen;
  Value *Bits = NumberIfTrue ? S.getTrueValue() : S.getFalseValue();
  const auto *Asks = dyn_cast<FCmpInst>(S.getCondition());
  if (!Asks || !isFromOutside(Bits, B) ||
      (NumberIfTrue ? S.getFalseValue() : S.getTrueValue()) != L.Seen)
    return false;
  for (Value *V : Asks->operands())
    if ((V->getType()->isFloatTy() || V->getType()->isDoubleTy()) &&
        isFromOutside(V, B) &&
        (match(V, m_BitCast(m_Specific(Bits))) ||
         match(Bits, m_BitCast(m_Specific(V)))))
      L.Number = V;
  if (!L.Number)
    return false;
  L.Op = remainsWhere(Asks, NumberIfTrue, L.Number, [&](const Value *V) {
    return match(V, m_BitCast(m_Specific(L.Seen)));
  });
  L.Sum = &S;
  return L.Op != AtomicRMWInst::BAD_BINOP && S.getParent() == &B &&
         all_of(S.users(), [&](const User *U) { return !isFromOutside(U, B); });
}

/// The bits of a number are exchanged, again and again while they would change
/// what was found.
static bool findWhileLarger(ExchangeLoop &L, const BranchInst &Br,
                            const BasicBlock &B) {
  Value *New = L.Exchange->getNewValOperand();
  if (!match(New, m_BitCast(m_Value(L.Number))) ||
      !(L.Number->getType()->isFloatTy() ||
        L.Number->getType()->isDoubleTy()) ||
      !isFromOutside(L.Number, B))
    return false;
  auto IsFound = [&](const Value *V) {
    Value *Bits = nullptr;
    return match(V, m_BitCast(m_Value(Bits))) && isFound(Bits, L) &&
           Bits != L.Seen;
  };
  const bool GoesOnIfTrue = Br.getSuccessor(1) == L.Exit;
  Value *Asks = Br.getCondition(), *One = nullptr, *Other = nullptr;
  // Perhaps only where the exchange has failed, too.
  if (GoesOnIfTrue ? match(Asks, m_LogicalAnd(m_Value(One), m_Value(Other)))
                   : match(Asks, m_LogicalOr(m_Value(One), m_Value(Other)))) {
    auto Ends = [&](const Value *V) {
      return GoesOnIfTrue ? asksForFailure(V, L) : asksForSuccess(V, L);
    };
    if (!Ends(One))
      std::swap(One, Other);
    if (!Ends(One))
      return false;
    Asks = Other;
  }
  L.Op = remainsWhere(Asks, GoesOnIfTrue, L.Number, IsFound);
  L.WhileLarger = L.Op != AtomicRMWInst::BAD_BINOP;
  return L.WhileLarger;
}

/// H asks whether a number would change what was found, and another block
/// exchanges it.
static std::optional<ExchangeLoop> loopOfTwoBlocks(BasicBlock &H) {
  ExchangeLoop L;
  auto *Br = dyn_cast<BranchInst>(H.getTerminator());
  L.Seen = dyn_cast<PHINode>(&H.front());
  if (!Br || !Br->isConditional() || !L.Seen)
    return std::nullopt;
  BasicBlock *Body = Br->getSuccessor(0);
  L.Exit = Br->getSuccessor(1);
  if (Body->getSinglePredecessor() != &H || !is_contained(successors(Body), &H))
    std::swap(Body, L.Exit);
  auto *Back = dyn_cast<BranchInst>(Body->getTerminator());
  if (!Back || Body == &H || Body == L.Exit || L.Exit == &H ||
      Body->getSinglePredecessor() != &H || !is_contained(successors(Body), &H))
    return std::nullopt;
  for (Instruction &I : *Body)
    if (auto *X = dyn_cast<AtomicCmpXchgInst>(&I))
      L.Exchange = X;
  auto IsOutside = [&](const Value *V) {
    return isFromOutside(V, H) && isFromOutside(V, *Body);
  };
  auto IsOld = [&](const Value *V) {
    return match(V, m_BitCast(m_Specific(L.Seen)));
  };
  if (!L.Exchange || L.Exchange->isVolatile() ||
      L.Exchange->getCompareOperand() != L.Seen ||
      !match(L.Exchange->getNewValOperand(), m_BitCast(m_Value(L.Number))) ||
      !(L.Number->getType()->isFloatTy() ||
        L.Number->getType()->isDoubleTy()) ||
      !IsOutside(L.Number) || !IsOutside(L.Exchange->getPointerOperand()) ||
      !isFound(L.Seen->getIncomingValueForBlock(Body), L) ||
      L.Seen->getIncomingValueForBlock(Body) == L.Seen ||
      (Back->isConditional() && !repeatsOnFailure(*Back, L)))
    return std::nullopt;
  if (Back->isConditional() && !is_contained(successors(Body), L.Exit))
    return std::nullopt;
  for (BasicBlock *B : {&H, Body})
    for (Instruction &I : *B) {
      const bool Known = &I == L.Exchange || &I == L.Seen || I.isTerminator();
      if (!Known &&
          (isa<PHINode>(I) || I.mayHaveSideEffects() || I.mayReadFromMemory()))
        return std::nullopt;
      if (any_of(I.users(), IsOutside))
        return std::nullopt;
    }
  L.Op = remainsWhere(Br->getCondition(), Br->getSuccessor(0) == Body, L.Number,
                      IsOld);
  L.Asks = &H;
  return L.Op == AtomicRMWInst::BAD_BINOP ? std::nullopt : std::optional(L);
}

/// The branch in front of the loop that leaves it out where Number would change
/// nothing of what it has read.
static BranchInst *guardOf(const ExchangeLoop &L, BasicBlock &B) {
  BasicBlock *In = nullptr;
  for (BasicBlock *P : predecessors(&B))
    if (P != &B) {
      if (In)
        return nullptr;
      In = P;
    }
  auto *First =
      In ? dyn_cast<LoadInst>(L.Seen->getIncomingValueForBlock(In)) : nullptr;
  if (!First || First->isVolatile() ||
      First->getPointerOperand() != L.Exchange->getPointerOperand())
    return nullptr;
  auto *Br = dyn_cast<BranchInst>(In->getTerminator());
  unsigned Side = 0;
  if (Br && !Br->isConditional() && In->getSinglePredecessor()) {
    Br = dyn_cast<BranchInst>(In->getSinglePredecessor()->getTerminator());
    Side = Br && Br->getSuccessor(0) != In;
  } else {
    Side = Br && Br->getSuccessor(0) != &B;
  }
  if (!Br || !Br->isConditional())
    return nullptr;
  const auto *Asks = dyn_cast<FCmpInst>(Br->getCondition());
  auto IsFirst = [&](const Value *V) {
    return match(V, m_BitCast(m_Specific(First)));
  };
  const bool Alone =
      Asks && all_of(First->users(), [&](const User *U) {
        return U == L.Seen || (U->hasOneUse() && *U->user_begin() == Asks);
      });
  return Alone && remainsWhere(Asks, Side == 0, L.Number, IsFirst) == L.Op
             ? Br
             : nullptr;
}

static std::optional<ExchangeLoop> exchangeLoop(BasicBlock &B,
                                                const Catalogue &Cat) {
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
  L.Seen = dyn_cast<PHINode>(L.Exchange->getCompareOperand());
  Value *Sum = nullptr;
  if (!L.Seen || L.Seen->getParent() != &B ||
      !isFromOutside(L.Exchange->getPointerOperand(), B) ||
      !isFound(L.Seen->getIncomingValueForBlock(&B), L) ||
      L.Seen->getIncomingValueForBlock(&B) == L.Seen)
    return std::nullopt;
  if (auto *S = dyn_cast<SelectInst>(L.Exchange->getNewValOperand())) {
    if (!findChoice(L, *S, B) || !repeatsOnFailure(*Br, L))
      return std::nullopt;
  } else if (!findWhileLarger(L, *Br, B)) {
    if (!match(L.Exchange->getNewValOperand(), m_BitCast(m_Value(Sum))))
      return std::nullopt;
    L.Sum = dyn_cast<Instruction>(Sum);
    if (!L.Sum || L.Sum->getParent() != &B ||
        !(L.Sum->getType()->isFloatTy() || L.Sum->getType()->isDoubleTy()) ||
        !findOperation(L, B, Cat) || !repeatsOnFailure(*Br, L))
      return std::nullopt;
  }
  // Nothing else is done, and what is known behind the loop can be told: of one
  // that goes on while a number is larger, what was there first is not.
  for (Instruction &I : B) {
    const bool Known = &I == L.Exchange || &I == L.Seen || &I == L.Sum ||
                       &I == Br || isFound(&I, L);
    if (!Known &&
        (isa<PHINode>(I) || I.mayHaveSideEffects() || I.mayReadFromMemory()))
      return std::nullopt;
    for (const User *U : I.users())
      if (!isFromOutside(U, B))
        continue;
      else if (L.WhileLarger ? !(isa<PHINode>(U) && U->use_empty())
                             : &I != L.Sum && !isFound(&I, L) &&
                                   !match(&I, m_BitCast(m_Specific(L.Seen))))
        return std::nullopt;
  }
  if (L.WhileLarger)
    L.Guard = guardOf(L, B);
  return L;
}

static AtomicRMWInst *makeWhole(const ExchangeLoop &L, IRBuilder<> &Builder) {
  AtomicRMWInst *Whole = Builder.CreateAtomicRMW(
      L.Op, L.Exchange->getPointerOperand(), L.Number, L.Exchange->getAlign(),
      L.Exchange->getSuccessOrdering(), L.Exchange->getSyncScopeID());
  Whole->copyMetadata(*L.Exchange,
                      {LLVMContext::MD_dbg, LLVMContext::MD_alias_scope,
                       LLVMContext::MD_noalias});
  return Whole;
}

static void rewriteTwoBlocks(const ExchangeLoop &L) {
  BasicBlock *Body = L.Exchange->getParent();
  Instruction *Br = L.Asks->getTerminator();
  IRBuilder<> Builder(Br);
  makeWhole(L, Builder);
  Builder.CreateBr(L.Exit);
  Value *Asked = cast<BranchInst>(Br)->getCondition();
  Br->eraseFromParent();
  DeleteDeadBlock(Body, nullptr, /*KeepOneInputPHIs=*/true);
  L.Seen->replaceAllUsesWith(PoisonValue::get(L.Seen->getType()));
  L.Seen->eraseFromParent();
  RecursivelyDeleteTriviallyDeadInstructions(Asked);
}

static void rewrite(const ExchangeLoop &L) {
  BasicBlock &B = *L.Exchange->getParent();
  IRBuilder<> Builder(L.Exchange);
  // What asks in front of the loop does all of it.
  if (L.Guard) {
    auto *Asks = cast<FCmpInst>(L.Guard->getCondition());
    Builder.SetInsertPoint(Asks);
  }
  AtomicRMWInst *Whole = makeWhole(L, Builder);
  if (L.Guard) {
    auto *Asks = cast<FCmpInst>(L.Guard->getCondition());
    for (unsigned K : {0u, 1u})
      if (Asks->getOperand(K) != L.Number)
        Asks->setOperand(K, Whole);
  }
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
  if (L.Sum && any_of(L.Sum->uses(), Outside)) {
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
    if (&I == L.Exchange ||
        (&I != L.Sum && wouldInstructionBeTriviallyDead(&I)))
      Dead.push_back(&I);
  for (Instruction *I : Dead)
    if (I->use_empty())
      I->eraseFromParent();
  if (L.Sum && L.Sum->use_empty()) // a call that LLVM does not know
    L.Sum->eraseFromParent();
  // What was read to begin with: nobody asks any more.
  auto *Load = dyn_cast_or_null<LoadInst>(First);
  if (Load && Load->use_empty() && !Load->isVolatile())
    Load->eraseFromParent();
}

bool retrograd::spellExchangeLoops(Function &F, const Catalogue &Cat) {
  if (!Target(*F.getParent()).manyThreads())
    return false;
  SmallVector<ExchangeLoop, 2> OfTwo;
  bool Changed = false;
  for (BasicBlock &B : F)
    if (std::optional<ExchangeLoop> L = exchangeLoop(B, Cat)) {
      rewrite(*L);
      Changed = true;
    } else if (std::optional<ExchangeLoop> L = loopOfTwoBlocks(B)) {
      OfTwo.push_back(*L);
    }
  for (const ExchangeLoop &L : OfTwo)
    rewriteTwoBlocks(L);
  return Changed || !OfTwo.empty();
}
