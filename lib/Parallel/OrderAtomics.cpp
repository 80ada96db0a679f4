//===- OrderAtomics.cpp - atomic operations become turns ------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel/OrderAtomics.h"
#include "Bitcode/RuntimeLibrary.h"
#include "Parallel/OpenMPForm.h"
#include "Parallel/ThreadForm.h"
#include "Parallel/ThreadRoutines.h"
#include "Support/CallBinding.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace retrograd;

/// Marks an atomic operation that stays one, within a turn.
static constexpr StringLiteral HasTurn = "rg.turn";

/// Of V, or of what it is before or behind phis and selects, From is true, or
/// Into of what it is made into.
static bool is(const Value *V, function_ref<bool(const Value *)> From,
               function_ref<bool(const User *)> Into) {
  SmallSetVector<const Value *, 8> Same;
  Same.insert(V);
  auto Passes = [](const Value *W) {
    return isa<PHINode>(W) || isa<SelectInst>(W) || isa<FreezeInst>(W);
  };
  for (unsigned Next = 0; Next != Same.size() && Next != 32; ++Next) {
    const Value *W = Same[Next];
    if (From(W))
      return true;
    if (Passes(W))
      for (const Value *Op : cast<Instruction>(W)->operands())
        if (Op->getType() == W->getType() &&
            (!isa<Constant>(Op) || isa<ConstantExpr>(Op)))
          Same.insert(Op);
    if (isa<Constant>(W))
      continue;
    for (const User *U : W->users()) {
      if (Into(U))
        return true;
      if (Passes(U) && U->getType() == W->getType())
        Same.insert(U);
    }
  }
  return false;
}

/// V, an integer or a number, is a number.
static bool isNumber(const Value *V) {
  return is(
      V,
      [](const Value *W) {
        const auto *C = dyn_cast<BitCastInst>(W);
        return W->getType()->isFloatingPointTy() ||
               (C && C->getSrcTy()->isFloatingPointTy());
      },
      [](const User *U) {
        return isa<BitCastInst>(U) && U->getType()->isFloatingPointTy();
      });
}

/// I is an atomic operation on a number whose effect depends on when it comes.
static bool dependsOnOrder(const Instruction &I) {
  if (const auto *L = dyn_cast<LoadInst>(&I))
    return L->isAtomic() && isNumber(L);
  if (const auto *S = dyn_cast<StoreInst>(&I))
    return S->isAtomic() && isNumber(S->getValueOperand());
  if (const auto *C = dyn_cast<AtomicCmpXchgInst>(&I))
    return isNumber(C->getNewValOperand());
  const auto *M = dyn_cast<AtomicRMWInst>(&I);
  if (!M || !M->getType()->isFloatingPointTy())
    return false;
  return !M->use_empty() || (M->getOperation() != AtomicRMWInst::FAdd &&
                             M->getOperation() != AtomicRMWInst::FSub);
}

/// The load in front of a loop that compares and exchanges until nobody came
/// between: clang's form of an atomic update.
static LoadInst *firstLoad(const AtomicCmpXchgInst &C) {
  const auto *Seen = dyn_cast<PHINode>(C.getCompareOperand());
  if (!Seen || Seen->getNumIncomingValues() != 2)
    return nullptr;
  for (unsigned I = 0; I != 2; ++I) {
    auto *First = dyn_cast<LoadInst>(Seen->getIncomingValue(I));
    const auto *Again = dyn_cast<ExtractValueInst>(Seen->getIncomingValue(!I));
    if (First && First->isAtomic() && Again &&
        Again->getAggregateOperand() == &C && Again->getIndices()[0] == 0 &&
        First->getPointerOperand() == C.getPointerOperand() &&
        C.getParent() == Seen->getParent() &&
        First->getParent()->getSingleSuccessor() == Seen->getParent())
      return First;
  }
  return nullptr;
}

/// Where the results of several comparisons and exchanges meet, their parts do.
static void splitResults(Function &F) {
  SmallVector<PHINode *, 4> Pairs;
  for (Instruction &I : instructions(F))
    if (auto *Phi = dyn_cast<PHINode>(&I);
        Phi &&
        all_of(Phi->incoming_values(),
               [](Value *V) { return isa<AtomicCmpXchgInst>(V); }) &&
        all_of(Phi->users(), [](User *U) { return isa<ExtractValueInst>(U); }))
      Pairs.push_back(Phi);
  for (PHINode *Phi : Pairs) {
    PHINode *Parts[2];
    IRBuilder<> B(Phi);
    for (unsigned I = 0; I != 2; ++I)
      Parts[I] = B.CreatePHI(Phi->getType()->getStructElementType(I),
                             Phi->getNumIncomingValues());
    for (auto [V, From] : zip(Phi->incoming_values(), Phi->blocks())) {
      auto *C = cast<Instruction>(V);
      B.SetInsertPoint(C->getNextNode());
      for (unsigned I = 0; I != 2; ++I)
        Parts[I]->addIncoming(B.CreateExtractValue(C, I), From);
    }
    for (User *U : make_early_inc_range(Phi->users())) {
      auto *Part = cast<ExtractValueInst>(U);
      Part->replaceAllUsesWith(Parts[Part->getIndices()[0]]);
      Part->eraseFromParent();
    }
    Phi->eraseFromParent();
  }
}

/// Looks at the user's functions, which may not be optimised.
bool OrderAtomics::isNeeded() {
  if (!Needed)
    Needed = hasThreads() && any_of(M, [](const Function &F) {
               return any_of(instructions(F), [](const Instruction &I) {
                 const auto *C = dyn_cast<AtomicCmpXchgInst>(&I);
                 const auto *L = dyn_cast<LoadInst>(&I);
                 const auto *S = dyn_cast<StoreInst>(&I);
                 // Bits of numbers, perhaps: nothing is simplified yet.
                 auto Word = [](const Value *V) {
                   return V->getType()->getPrimitiveSizeInBits() >= 32;
                 };
                 return C || (L && L->isAtomic() && Word(L)) ||
                        (S && S->isAtomic() && Word(S->getValueOperand())) ||
                        dependsOnOrder(I);
               });
             });
  return *Needed;
}

/// A lock that is nobody else's, around what has one.
void OrderAtomics::turn(IRBuilderBase &B, bool Begins) {
  // Programs without OpenMP need not have libomp.
  const bool OfOpenMP = M.getFunction("__kmpc_fork_call");
  const char *Routine =
      OfOpenMP ? (Begins ? "rg_turn_enter" : "rg_turn_leave")
               : (Begins ? "rg_turn_mutex" : "rg_turn_mutex_leave");
  B.CreateCall(Runtime.require(Routine), {turnLock(M, "rg.atomic")});
}

/// C, a comparison and exchange, as a turn of its own; its word is a Word.
void OrderAtomics::exchangeInTurn(AtomicCmpXchgInst &C, Type *Word) {
  IRBuilder<> B(&C);
  Type *Whole = C.getNewValOperand()->getType();
  Value *New = B.CreateBitOrPointerCast(C.getNewValOperand(), Word);
  turn(B, /*Begins=*/true);
  Value *Old = B.CreateAlignedLoad(Word, C.getPointerOperand(), C.getAlign());
  Value *Bits = B.CreateBitOrPointerCast(Old, Whole);
  Value *Same = B.CreateICmpEQ(Bits, C.getCompareOperand());
  B.CreateAlignedStore(B.CreateSelect(Same, New, Old), C.getPointerOperand(),
                       C.getAlign());
  turn(B, /*Begins=*/false);
  for (User *U : make_early_inc_range(C.users())) {
    auto *Part = cast<ExtractValueInst>(U);
    Part->replaceAllUsesWith(Part->getIndices()[0] == 0 ? Bits : Same);
    Part->eraseFromParent();
  }
  C.eraseFromParent();
}

/// Threads may come to what this module makes.
bool OrderAtomics::hasThreads() const {
  return M.getFunction("__kmpc_fork_call") || startsThreads(M) || forksPools(M);
}

bool OrderAtomics::run(Function &Clone) {
  if (!isNeeded())
    return false;
  SmallVector<Instruction *, 8> Found;
  for (Instruction &I : instructions(Clone)) {
    const auto *M = dyn_cast<AtomicRMWInst>(&I);
    if (dependsOnOrder(I) || (M && M->getType()->isFloatingPointTy()))
      Found.push_back(&I);
  }
  bool Changed = false;
  IRBuilder<> B(Clone.getContext());
  auto Begin = [&] { turn(B, /*Begins=*/true); };
  auto End = [&] { turn(B, /*Begins=*/false); };
  splitResults(Clone);
  // Updates by comparison first: they take the load in front with them.
  for (Instruction *I : Found) {
    auto *C = dyn_cast<AtomicCmpXchgInst>(I);
    if (!C ||
        !all_of(C->users(), [](User *U) { return isa<ExtractValueInst>(U); }))
      continue;
    LoadInst *First = firstLoad(*C);
    if (!First) {
      exchangeInTurn(*C, C->getNewValOperand()->getType());
      Changed = true;
      continue;
    }
    B.SetInsertPoint(First);
    Begin();
    First->setAtomic(AtomicOrdering::NotAtomic);
    B.SetInsertPoint(C);
    B.CreateAlignedStore(C->getNewValOperand(), C->getPointerOperand(),
                         C->getAlign());
    End();
    for (User *U : make_early_inc_range(C->users())) {
      auto *Part = cast<ExtractValueInst>(U);
      Part->replaceAllUsesWith(Part->getIndices()[0] == 0
                                   ? C->getCompareOperand()
                                   : (Value *)B.getTrue());
      Part->eraseFromParent();
    }
    C->eraseFromParent();
    Changed = true;
  }
  for (Instruction &I : make_early_inc_range(instructions(Clone))) {
    auto *L = dyn_cast<LoadInst>(&I);
    auto *S = dyn_cast<StoreInst>(&I);
    auto *A = dyn_cast<AtomicRMWInst>(&I);
    if (L || S) {
      if (!dependsOnOrder(I))
        continue;
      B.SetInsertPoint(&I);
      Begin();
      if (L)
        L->setAtomic(AtomicOrdering::NotAtomic);
      else
        S->setAtomic(AtomicOrdering::NotAtomic);
      B.SetInsertPoint(I.getNextNode());
      B.SetCurrentDebugLocation(I.getDebugLoc());
      End();
      Changed = true;
      continue;
    }
    if (!A || !A->getType()->isFloatingPointTy() ||
        (A->getOperation() != AtomicRMWInst::FAdd &&
         A->getOperation() != AtomicRMWInst::FSub &&
         A->getOperation() != AtomicRMWInst::FMin &&
         A->getOperation() != AtomicRMWInst::FMax &&
         A->getOperation() != AtomicRMWInst::Xchg))
      continue;
    B.SetInsertPoint(A);
    Begin();
    Value *Old = B.CreateAlignedLoad(A->getType(), A->getPointerOperand(),
                                     A->getAlign());
    Value *X = A->getValOperand();
    Value *New = X;
    switch (A->getOperation()) {
    case AtomicRMWInst::FAdd:
      New = B.CreateFAdd(Old, X);
      break;
    case AtomicRMWInst::FSub:
      New = B.CreateFSub(Old, X);
      break;
    case AtomicRMWInst::FMin:
      New = B.CreateMinNum(Old, X);
      break;
    case AtomicRMWInst::FMax:
      New = B.CreateMaxNum(Old, X);
      break;
    default:
      break;
    }
    B.CreateAlignedStore(New, A->getPointerOperand(), A->getAlign());
    End();
    A->replaceAllUsesWith(Old);
    A->eraseFromParent();
    Changed = true;
  }
  return Changed;
}

/// V, a pointer or a word, is an address.
static bool isAddress(const Value *V) {
  return is(
      V,
      [](const Value *W) {
        return W->getType()->isPointerTy() ||
               Operator::getOpcode(W) == Instruction::PtrToInt;
      },
      [](const User *U) { return isa<IntToPtrInst>(U); });
}

/// What I, atomic, writes may be null, or may be 0.
static bool mayWriteNull(const Instruction &I) {
  const Value *V = nullptr;
  if (const auto *S = dyn_cast<StoreInst>(&I))
    V = S->getValueOperand();
  else if (const auto *X = dyn_cast<AtomicRMWInst>(&I))
    V = X->getOperation() == AtomicRMWInst::Xchg ? X->getValOperand() : nullptr;
  else if (const auto *C = dyn_cast<AtomicCmpXchgInst>(&I))
    V = C->getNewValOperand();
  return I.isAtomic() && V && V->getType()->isIntegerTy(64) &&
         match(V, m_Zero());
}

bool retrograd::handsAddress(const Instruction &I) {
  if (!I.isAtomic())
    return false;
  if (const auto *L = dyn_cast<LoadInst>(&I))
    return isAddress(L);
  if (const auto *S = dyn_cast<StoreInst>(&I))
    return isAddress(S->getValueOperand());
  if (const auto *X = dyn_cast<AtomicRMWInst>(&I))
    return isAddress(X) || isAddress(X->getValOperand());
  const auto *C = dyn_cast<AtomicCmpXchgInst>(&I);
  return C && (isAddress(C->getNewValOperand()) ||
               isAddress(C->getCompareOperand()) ||
               any_of(C->users(), [](const User *U) {
                 const auto *Part = dyn_cast<ExtractValueInst>(U);
                 return Part && Part->getIndices()[0] == 0 && isAddress(Part);
               }));
}

bool OrderAtomics::orderAddresses(Function &Clone) {
  if (!hasThreads())
    return false;
  SmallVector<Instruction *, 8> Found, Nulls;
  for (Instruction &I : instructions(Clone))
    if (handsAddress(I))
      Found.push_back(&I);
    else if (mayWriteNull(I) && !I.hasMetadata(HasTurn))
      Nulls.push_back(&I);
  bool Changed = false;
  IRBuilder<> B(Clone.getContext());
  // Not in the midst of an exchange that is a turn, if the word is an address.
  for (Instruction *I : Nulls) {
    I->setMetadata(HasTurn, MDNode::get(M.getContext(), {}));
    B.SetInsertPoint(I);
    turn(B, /*Begins=*/true);
    B.SetInsertPoint(I->getNextNode());
    B.SetCurrentDebugLocation(I->getDebugLoc());
    turn(B, /*Begins=*/false);
    Changed = true;
  }
  Type *Address = B.getPtrTy();
  for (Instruction *I : Found) {
    if (auto *C = dyn_cast<AtomicCmpXchgInst>(I)) {
      if (!all_of(C->users(), [](User *U) { return isa<ExtractValueInst>(U); }))
        continue;
      exchangeInTurn(*C, Address);
      Changed = true;
      continue;
    }
    B.SetInsertPoint(I);
    Value *Old = nullptr;
    if (auto *L = dyn_cast<LoadInst>(I)) {
      turn(B, /*Begins=*/true);
      Old = B.CreateAlignedLoad(Address, L->getPointerOperand(), L->getAlign());
    } else if (auto *S = dyn_cast<StoreInst>(I)) {
      Value *New = B.CreateBitOrPointerCast(S->getValueOperand(), Address);
      turn(B, /*Begins=*/true);
      B.CreateAlignedStore(New, S->getPointerOperand(), S->getAlign());
    } else {
      auto *X = cast<AtomicRMWInst>(I);
      Value *By = X->getValOperand();
      const AtomicRMWInst::BinOp Kind = X->getOperation();
      if (Kind != AtomicRMWInst::Xchg && Kind != AtomicRMWInst::Add &&
          Kind != AtomicRMWInst::Sub)
        continue;
      if (Kind == AtomicRMWInst::Xchg)
        By = B.CreateBitOrPointerCast(By, Address);
      else if (Kind == AtomicRMWInst::Sub)
        By = B.CreateNeg(By);
      turn(B, /*Begins=*/true);
      Old = B.CreateAlignedLoad(Address, X->getPointerOperand(), X->getAlign());
      B.CreateAlignedStore(
          Kind == AtomicRMWInst::Xchg ? By : B.CreatePtrAdd(Old, By),
          X->getPointerOperand(), X->getAlign());
    }
    turn(B, /*Begins=*/false);
    if (Old)
      I->replaceAllUsesWith(B.CreateBitOrPointerCast(Old, I->getType()));
    I->eraseFromParent();
    Changed = true;
  }
  return Changed;
}
