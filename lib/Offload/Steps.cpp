//===- Steps.cpp - where threads in lock step wait for each other ---------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forward data flow: which kinds of access can have been the last one at the
// start of a block, since the kernel's own cuts. An access of another kind gets
// a step in front. Loads stay together, and stores: what they do to each other
// does not depend on how threads interleave between them, but on the order of
// threads. An atomic operation is a step by itself, and so is a call that stays
// a call, with whatever happens in it.
//
//===----------------------------------------------------------------------===//

#include "Offload/Steps.h"
#include "Offload/SplitPoints.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

namespace {
/// Kinds of access, as bits; Start: none since the last cut.
enum Access : unsigned { None = 0, Load = 1, Store = 2, Both = 4, Start = 8 };
} // namespace

/// Whether only the thread itself can see what is at Address, or nobody writes
/// it.
static bool isOwn(const Value *Address) {
  constexpr unsigned Constant = 4, Local = 5, Parameter = 101;
  unsigned Space = Address->getType()->getPointerAddressSpace();
  if (Space == Constant || Space == Local || Space == Parameter)
    return true;
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Address, Objects);
  return all_of(Objects, [](const Value *O) {
    auto *GV = dyn_cast<GlobalVariable>(O);
    return isa<AllocaInst>(O) || (GV && GV->isConstant());
  });
}

static Access accessOf(const Instruction &I) {
  if (auto *L = dyn_cast<LoadInst>(&I))
    return isOwn(L->getPointerOperand()) ||
                   I.hasMetadata(LLVMContext::MD_invariant_load)
               ? None
               : Load;
  if (auto *S = dyn_cast<StoreInst>(&I))
    return isOwn(S->getPointerOperand()) ? None : Store;
  if (auto *Set = dyn_cast<AnyMemIntrinsic>(&I)) {
    auto *Copy = dyn_cast<AnyMemTransferInst>(Set);
    bool Writes = !isOwn(Set->getRawDest()),
         Reads = Copy && !isOwn(Copy->getRawSource());
    return Writes && Reads ? Both : Writes ? Store : Reads ? Load : None;
  }
  if (isa<FenceInst>(I) || !I.mayReadOrWriteMemory())
    return None;
  if (auto *Call = dyn_cast<CallInst>(&I)) {
    const Function *Callee = Call->getCalledFunction();
    StringRef Name = Callee ? Callee->getName() : "";
    if (Callee && Callee->isIntrinsic() &&
        (!Callee->isTargetIntrinsic() ||
         Name.starts_with("llvm.nvvm.membar.") ||
         Name.starts_with("llvm.nvvm.fence.")))
      return None; // lifetimes, assumptions
    if (Name.starts_with("__nv_") && none_of(Call->args(), [](const Use &U) {
          return U->getType()->isPointerTy();
        }))
      return None; // the device's mathematics
  }
  return Both;
}

unsigned retrograd::insertSteps(Function &Kernel) {
  auto IsCut = [](const Instruction &I) {
    auto *Call = dyn_cast<CallInst>(&I);
    return Call && isSplitOperation(*Call);
  };
  // The kinds that can have been last at the end of each block.
  DenseMap<const BasicBlock *, unsigned> AtEnd;
  auto AtStart = [&](const BasicBlock *BB) {
    unsigned Set = BB->isEntryBlock() ? Start : None;
    for (const BasicBlock *Pred : predecessors(BB))
      Set |= AtEnd.lookup(Pred);
    return Set;
  };
  ReversePostOrderTraversal<Function *> Order(&Kernel);
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (BasicBlock *BB : Order) {
      unsigned Set = AtStart(BB);
      for (const Instruction &I : *BB)
        if (IsCut(I))
          Set = Start;
        else if (Access A = accessOf(I))
          Set = A;
      unsigned &Known = AtEnd[BB];
      Changed |= Known != Set;
      Known = Set;
    }
  }
  SmallVector<Instruction *, 32> Places;
  for (BasicBlock *BB : Order) {
    unsigned Set = AtStart(BB);
    for (Instruction &I : *BB)
      if (IsCut(I)) {
        Set = Start;
      } else if (Access A = accessOf(I)) {
        if (Set & ~(A == Both ? Start : A | Start))
          Places.push_back(&I);
        Set = A;
      }
  }
  for (Instruction *Place : Places) {
    IRBuilder<> B(Place);
    FunctionCallee Step = Kernel.getParent()->getOrInsertFunction(
        StepName, FunctionType::get(B.getVoidTy(), false));
    B.CreateCall(Step);
  }
  return Places.size();
}
