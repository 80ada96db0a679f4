//===- ThreadSignals.cpp - atomic operations as signals -------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Parallel/OrderAtomics.h"
#include "Parallel/ThreadForm.h"
#include "Support/SourceFact.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace retrograd;

/// The order in which I comes to its word of memory, as one thread's part of a
/// signal between threads; NotAtomic if it is none. Whether a static variable
/// has its first value the compiler asks for itself.
static AtomicOrdering signalOrder(const Instruction &I) {
  const Value *P = nullptr;
  AtomicOrdering Order = AtomicOrdering::NotAtomic;
  SyncScope::ID Scope = SyncScope::System;
  if (const auto *L = dyn_cast<LoadInst>(&I))
    P = L->getPointerOperand(), Order = L->getOrdering(),
    Scope = L->getSyncScopeID();
  else if (const auto *S = dyn_cast<StoreInst>(&I))
    P = S->getPointerOperand(), Order = S->getOrdering(),
    Scope = S->getSyncScopeID();
  else if (const auto *M = dyn_cast<AtomicRMWInst>(&I))
    P = M->getPointerOperand(), Order = M->getOrdering(),
    Scope = M->getSyncScopeID();
  else if (const auto *C = dyn_cast<AtomicCmpXchgInst>(&I))
    P = C->getPointerOperand(), Order = C->getMergedOrdering(),
    Scope = C->getSyncScopeID();
  if (!P || Scope == SyncScope::SingleThread)
    return AtomicOrdering::NotAtomic;
  const auto *G = dyn_cast<GlobalVariable>(P->stripInBoundsOffsets());
  if (G && G->getName().starts_with("_ZGV"))
    return AtomicOrdering::NotAtomic;
  // A flush of OpenMP orders the relaxed operations beside it.
  const auto *Update = dyn_cast<AtomicRMWInst>(&I);
  if (Order != AtomicOrdering::Monotonic ||
      (Update && Update->isFloatingPointOperation()))
    return Order;
  const Function *Flush = I.getModule()->getFunction("__kmpc_flush");
  return Flush && !Flush->use_empty() ? AtomicOrdering::AcquireRelease : Order;
}

/// What an atomic operation tells is an integer for sure: a byte, a small
/// number that is none of a float's, or one that is only compared. Clang moves
/// floats in the bits of integers, too; zero may be either.
static bool tellsInteger(const Instruction &I) {
  if ((isa<LoadInst>(I) || isa<StoreInst>(I)) &&
      getLoadStoreType(&I)->isIntegerTy(8))
    return true;
  auto IsSmall = [](const Value *V) {
    const auto *C = dyn_cast<ConstantInt>(V);
    return C && !C->isZero() && C->getValue().abs().ult(1 << 16);
  };
  if (const auto *M = dyn_cast<AtomicRMWInst>(&I)) {
    // Bits that are set from memory may be those of an address.
    const bool MayLead = M->getType()->isIntegerTy(64) &&
                         M->getOperation() != AtomicRMWInst::Add &&
                         M->getOperation() != AtomicRMWInst::Sub &&
                         isa<LoadInst>(M->getValOperand());
    return M->getType()->isIntegerTy() && !MayLead &&
           (M->getOperation() != AtomicRMWInst::Xchg ||
            IsSmall(M->getValOperand()));
  }
  // A few bits that are set or looked at.
  auto HasFlags = [&](const Value *V) {
    const auto *O = dyn_cast<BinaryOperator>(V);
    return O &&
           (O->getOpcode() == Instruction::Or ||
            O->getOpcode() == Instruction::And) &&
           IsSmall(O->getOperand(1));
  };
  if (const auto *C = dyn_cast<AtomicCmpXchgInst>(&I))
    return IsSmall(C->getNewValOperand()) || IsSmall(C->getCompareOperand()) ||
           HasFlags(C->getNewValOperand());
  if (const auto *S = dyn_cast<StoreInst>(&I))
    return IsSmall(S->getValueOperand());
  // A pointer is looked at like this, too, whether it is null.
  return I.getType()->isIntegerTy() && !I.use_empty() &&
         all_of(I.users(), [&](const User *U) {
           const auto *Compared = dyn_cast<ICmpInst>(U);
           return Compared && (!I.getType()->isIntegerTy(64) ||
                               !match(Compared->getOperand(1), m_Zero()));
         });
}

bool ThreadForm::orderSignals(Function &Clone) {
  SmallVector<Instruction *, 8> Found;
  bool Changed = false;
  for (Instruction &I : instructions(Clone)) {
    const AtomicOrdering Order = signalOrder(I);
    // Without other threads it tells nothing. A kernel's atomic integers may be
    // the bits of numbers, too.
    if (Order == AtomicOrdering::NotAtomic || I.hasMetadata(HasThreadEvent) ||
        !mayMeetOthers())
      continue;
    MDNode *Nothing = MDNode::get(M.getContext(), {});
    I.setMetadata(HasThreadEvent, Nothing);
    if (!handsAddress(I) && tellsInteger(I)) {
      noteInteger(I, /*Declared=*/true);
      if (!isa<LoadInst>(I) && !isa<StoreInst>(I))
        noteFact(I, SourceFact::Characters);
    }
    if (isStrongerThanMonotonic(Order))
      Found.push_back(&I);
    Changed = true;
  }
  IRBuilder<> B(Clone.getContext());
  for (Instruction *I : Found) {
    const AtomicOrdering Order = signalOrder(*I);
    Value *P = isa<StoreInst>(I) ? I->getOperand(1) : I->getOperand(0);
    if (!isa<LoadInst>(I) && isReleaseOrStronger(Order)) {
      B.SetInsertPoint(I);
      B.CreateCall(Runtime.require("rg_event_tells"), {P});
    }
    if (!isa<StoreInst>(I) && isAcquireOrStronger(Order)) {
      B.SetInsertPoint(I->getNextNode());
      B.SetCurrentDebugLocation(I->getDebugLoc());
      B.CreateCall(Runtime.require("rg_event_learns"), {P});
    }
  }
  return Changed;
}
