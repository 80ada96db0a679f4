//===- KeepEqualities.cpp -------------------------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard/KeepEqualities.h"
#include "Request/EntryPoints.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;
using namespace retrograd;

/// In modules that have fences: others are not looked through for them.
static constexpr StringLiteral HasFences = "rg.equalities";

/// The operand of C that is compared with a constant; null where there is none.
static Use *comparedWithConstant(FCmpInst &C) {
  for (unsigned At : {0, 1})
    if (!isa<Constant>(C.getOperand(At)) && isa<Constant>(C.getOperand(1 - At)))
      return &C.getOperandUse(At);
  return nullptr;
}

/// What V is, or the variable that it is loaded from.
static const Value *numberOf(const Value *V) {
  const auto *Load = dyn_cast<LoadInst>(V);
  return Load ? Load->getPointerOperand() : V;
}

/// The comparison tells, one way or the other, that its operands are equal.
static bool isEquality(const FCmpInst &C) {
  switch (C.getPredicate()) {
  case FCmpInst::FCMP_OEQ:
  case FCmpInst::FCMP_UEQ:
  case FCmpInst::FCMP_ONE:
  case FCmpInst::FCMP_UNE:
    return true;
  default:
    return false;
  }
}

namespace {
/// `x >= 2 && x <= 2`, of which LLVM makes `x == 2`: a number, or the variable
/// that it is loaded from, compared with one constant for more and for less.
class Bounds {
public:
  /// Is C a comparison for more or less? Notes it.
  bool note(const FCmpInst &C, const Use &Number) {
    switch (Number.getOperandNo() ? C.getSwappedPredicate()
                                  : C.getPredicate()) {
    case FCmpInst::FCMP_OLT:
    case FCmpInst::FCMP_OLE:
    case FCmpInst::FCMP_ULT:
    case FCmpInst::FCMP_ULE:
      return sidesOf(C, Number).Below = true;
    case FCmpInst::FCMP_OGT:
    case FCmpInst::FCMP_OGE:
    case FCmpInst::FCMP_UGT:
    case FCmpInst::FCMP_UGE:
      return sidesOf(C, Number).Above = true;
    default:
      return false;
    }
  }
  bool areOneNumber(const FCmpInst &C, const Use &Number) {
    const Sides &S = sidesOf(C, Number);
    return S.Below && S.Above;
  }

private:
  struct Sides {
    bool Below = false, Above = false;
  };
  Sides &sidesOf(const FCmpInst &C, const Use &Number) {
    return Of[{numberOf(Number), C.getOperand(1 - Number.getOperandNo())}];
  }
  DenseMap<std::pair<const Value *, const Value *>, Sides> Of;
};
} // namespace

static bool isFence(const Value *V) {
  const auto *II = dyn_cast<IntrinsicInst>(V);
  return II && II->getIntrinsicID() == Intrinsic::arithmetic_fence;
}

/// A fence of ours: the program's own stand in arithmetic.
static bool onlyCompared(const IntrinsicInst &Fence) {
  return all_of(Fence.users(), [](const User *U) {
    return isa<FCmpInst>(U) ||
           (isa<BitCastInst>(U) && U->getType()->isIntegerTy());
  });
}

/// A variable whose bytes are copied from elsewhere: `memcpy(&bits, x, 8)`.
static bool isCopied(const Value &Variable) {
  return isa<AllocaInst>(Variable) && any_of(Variable.users(), [&](auto *U) {
           const auto *Copy = dyn_cast<MemTransferInst>(U);
           return Copy && Copy->getRawDest() == &Variable;
         });
}

/// The integer that C compares for equality with what may be the bits of a
/// number: LLVM takes what is read at one place as both for one value. Null if
/// there is none.
static Use *comparedBits(ICmpInst &C) {
  const auto *K = dyn_cast<ConstantInt>(C.getOperand(1));
  const auto *From = dyn_cast<LoadInst>(C.getOperand(0));
  Type *T = C.getOperand(0)->getType();
  if (!C.isEquality() || !K || !From || !isCopied(*From->getPointerOperand()) ||
      !(T->isIntegerTy(64) || T->isIntegerTy(32)))
    return nullptr;
  const APFloat Number(T->isIntegerTy(64) ? APFloat::IEEEdouble()
                                          : APFloat::IEEEsingle(),
                       K->getValue());
  constexpr int LargestExponent = 64;
  return Number.isNormal() && std::abs(ilogb(Number)) <= LargestExponent
             ? &C.getOperandUse(0)
             : nullptr;
}

static void fenceBits(Use &Bits) {
  Value *N = Bits.get();
  IRBuilder<> B(cast<Instruction>(Bits.getUser()));
  Type *T = N->getType()->isIntegerTy(64) ? B.getDoubleTy() : B.getFloatTy();
  Bits.set(B.CreateBitCast(B.CreateIntrinsic(Intrinsic::arithmetic_fence, {T},
                                             {B.CreateBitCast(N, T)}),
                           N->getType()));
}

static void fence(Use &Number) {
  Value *X = Number.get();
  IRBuilder<> B(cast<Instruction>(Number.getUser()));
  Number.set(
      B.CreateIntrinsic(Intrinsic::arithmetic_fence, {X->getType()}, {X}));
}

/// The operand of C that gets a fence: one is enough, and inlining may show the
/// other to be a constant. Null where there is nothing to learn.
static Use *learntOf(FCmpInst &C) {
  if (!isEquality(C) || isFence(C.getOperand(0)) || isFence(C.getOperand(1)) ||
      numberOf(C.getOperand(0)) == numberOf(C.getOperand(1)))
    return nullptr;
  for (unsigned At : {0, 1})
    if (!isa<Constant>(C.getOperand(At)))
      return &C.getOperandUse(At);
  return nullptr;
}

PreservedAnalyses KeepEqualitiesPass::run(Module &M, ModuleAnalysisManager &) {
  if (!hasEntryCalls(M) && !isBeforeLink(Stage))
    return PreservedAnalyses::all();
  bool Any = false;
  for (Function &F : M)
    Any |= keepEqualities(F);
  if (Any)
    M.getOrInsertNamedMetadata(HasFences);
  return PreservedAnalyses::none();
}

bool retrograd::keepEqualities(Function &F) {
  SmallVector<Use *, 8> Fenced, Ordered, Bits;
  Bounds Limits;
  for (Instruction &I : instructions(F)) {
    if (auto *OfIntegers = dyn_cast<ICmpInst>(&I))
      if (Use *Compared = comparedBits(*OfIntegers))
        Bits.push_back(Compared);
    auto *C = dyn_cast<FCmpInst>(&I);
    if (!C)
      continue;
    if (Use *Number = learntOf(*C))
      Fenced.push_back(Number);
    else if (Use *Compared = comparedWithConstant(*C);
             Compared && Limits.note(*C, *Compared))
      Ordered.push_back(Compared);
  }
  for (Use *Number : Ordered)
    if (Limits.areOneNumber(*cast<FCmpInst>(Number->getUser()), *Number))
      Fenced.push_back(Number);
  for (Use *Number : Fenced)
    fence(*Number);
  for (Use *Compared : Bits)
    fenceBits(*Compared);
  return !Fenced.empty() || !Bits.empty();
}

/// Puts the operand of a fence in its place.
static void drop(IntrinsicInst &Fence) {
  auto *Bits = dyn_cast<BitCastOperator>(Fence.getArgOperand(0));
  for (User *U : make_early_inc_range(Fence.users()))
    if (Bits && U->getType() == Bits->getOperand(0)->getType()) {
      U->replaceAllUsesWith(Bits->getOperand(0));
      cast<Instruction>(U)->eraseFromParent();
    }
  Fence.replaceAllUsesWith(Fence.getArgOperand(0));
  Fence.eraseFromParent();
}

bool retrograd::foldEqualities(Function &F) {
  bool Any = false;
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Fence = dyn_cast<IntrinsicInst>(&I);
    if (!Fence || !isFence(Fence) || !isa<Constant>(Fence->getArgOperand(0)) ||
        !onlyCompared(*Fence))
      continue;
    SmallVector<FCmpInst *, 2> Compared;
    for (User *U : Fence->users())
      if (auto *C = dyn_cast<FCmpInst>(U))
        Compared.push_back(C);
    drop(*Fence);
    for (FCmpInst *C : Compared)
      if (Use *Other = learntOf(*C))
        fence(*Other);
    Any = true;
  }
  return Any;
}

PreservedAnalyses FoldEqualitiesPass::run(Function &F,
                                          FunctionAnalysisManager &) {
  if (!F.getParent()->getNamedMetadata(HasFences) || !foldEqualities(F))
    return PreservedAnalyses::all();
  PreservedAnalyses PA;
  PA.preserveSet<CFGAnalyses>();
  return PA;
}

bool retrograd::releaseEqualities(Module &M) {
  bool Any = false;
  if (NamedMDNode *Fenced = M.getNamedMetadata(HasFences))
    M.eraseNamedMetadata(Fenced);
  for (Function &Fence : M) {
    if (Fence.getIntrinsicID() != Intrinsic::arithmetic_fence)
      continue;
    for (User *U : make_early_inc_range(Fence.users()))
      if (auto *II = cast<IntrinsicInst>(U); onlyCompared(*II)) {
        drop(*II);
        Any = true;
      }
  }
  return Any;
}
