//===- OrderAtomics.cpp - atomic operations on numbers become turns -------===//
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
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace retrograd;

/// V, an integer or a number, is a number: it is one before or behind phis and
/// selects.
static bool isNumber(const Value *V) {
  SmallSetVector<const Value *, 8> Same;
  Same.insert(V);
  auto Passes = [](const Value *W) {
    return isa<PHINode>(W) || isa<SelectInst>(W) || isa<FreezeInst>(W);
  };
  for (unsigned Next = 0; Next != Same.size() && Next != 32; ++Next) {
    const Value *W = Same[Next];
    if (W->getType()->isFloatingPointTy())
      return true;
    if (const auto *C = dyn_cast<BitCastInst>(W);
        C && C->getSrcTy()->isFloatingPointTy())
      return true;
    if (Passes(W))
      for (const Value *Op : cast<Instruction>(W)->operands())
        if (Op->getType() == W->getType() && !isa<Constant>(Op))
          Same.insert(Op);
    if (!isa<Constant>(W))
      for (const User *U : W->users())
        if ((isa<BitCastInst>(U) && U->getType()->isFloatingPointTy()) ||
            (Passes(U) && U->getType() == W->getType()))
          Same.insert(U);
  }
  return false;
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
    Needed = (M.getFunction("__kmpc_fork_call") || startsThreads(M) ||
              forksPools(M)) &&
             any_of(M, [](const Function &F) {
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
  // Programs without OpenMP need not have libomp.
  const bool OfOpenMP = M.getFunction("__kmpc_fork_call");
  auto Turn = [&](StringRef OpenMPs, StringRef Mutexs) {
    B.CreateCall(Runtime.require(OfOpenMP ? OpenMPs : Mutexs),
                 {turnLock(M, "rg.atomic")});
  };
  auto Begin = [&] { Turn("rg_turn_enter", "rg_turn_mutex"); };
  auto End = [&] { Turn("rg_turn_leave", "rg_turn_mutex_leave"); };
  splitResults(Clone);
  // Updates by comparison first: they take the load in front with them.
  for (Instruction *I : Found) {
    auto *C = dyn_cast<AtomicCmpXchgInst>(I);
    if (!C ||
        !all_of(C->users(), [](User *U) { return isa<ExtractValueInst>(U); }))
      continue;
    LoadInst *First = firstLoad(*C);
    if (!First) {
      // A turn of its own.
      B.SetInsertPoint(C);
      Begin();
      Value *Old = B.CreateAlignedLoad(C->getNewValOperand()->getType(),
                                       C->getPointerOperand(), C->getAlign());
      Value *Same = B.CreateICmpEQ(Old, C->getCompareOperand());
      B.CreateAlignedStore(B.CreateSelect(Same, C->getNewValOperand(), Old),
                           C->getPointerOperand(), C->getAlign());
      End();
      for (User *U : make_early_inc_range(C->users())) {
        auto *Part = cast<ExtractValueInst>(U);
        Part->replaceAllUsesWith(Part->getIndices()[0] == 0 ? Old : Same);
        Part->eraseFromParent();
      }
      C->eraseFromParent();
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
