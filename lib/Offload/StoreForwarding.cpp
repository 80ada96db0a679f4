//===- StoreForwarding.cpp - a thread's own values in shared memory -------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Within a thread LLVM forwards stores to loads; a barrier stops it, since
// other threads may have written. But two accesses of which one writes, and
// that no barrier orders, are a race. So what others do until the first barrier
// behind the store, or since the last one in front of the load, does not
// matter; and what they do in the meantime is what stands on the ways from the
// store to the load: there must be no other write of the variable. (W. S.
// Moses' thesis, 9.4.2.) That others are on those ways, too, is what comesRound
// makes sure of. Volatile and atomic accesses are left alone, and memory other
// than shared memory, which other blocks see.
//
//===----------------------------------------------------------------------===//

#include "Offload/StoreForwarding.h"
#include "Offload/SplitPoints.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

namespace {

constexpr unsigned SharedSpace = 3;

bool isSplit(const Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  return Call && isSplitOperation(*Call);
}

/// The shared variable that P leads into, or null.
const GlobalVariable *sharedVariable(const Value *P) {
  if (P->getType()->getPointerAddressSpace() != SharedSpace)
    return nullptr;
  return dyn_cast<GlobalVariable>(getUnderlyingObject(P));
}

/// Whether I may write Variable.
bool mayWrite(const Instruction &I, const GlobalVariable *Variable) {
  if (!I.mayWriteToMemory() || isSplit(I))
    return false;
  if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
      Intrinsic && Intrinsic->isAssumeLikeIntrinsic())
    return false;
  const Value *Address = nullptr;
  if (auto *Store = dyn_cast<StoreInst>(&I))
    Address = Store->getPointerOperand();
  else if (auto *RMW = dyn_cast<AtomicRMWInst>(&I))
    Address = RMW->getPointerOperand();
  else if (auto *CAS = dyn_cast<AtomicCmpXchgInst>(&I))
    Address = CAS->getPointerOperand();
  if (!Address) { // the device's mathematics writes nothing unless it is given
                  // an address
    auto *Call = dyn_cast<CallInst>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    return !Callee || !Callee->getName().starts_with("__nv_") ||
           any_of(Call->args(),
                  [](const Use &U) { return U->getType()->isPointerTy(); });
  }
  const Value *Object = getUnderlyingObject(Address);
  if (isa<AllocaInst>(Object))
    return false;
  if (unsigned Space = Address->getType()->getPointerAddressSpace();
      Space != SharedSpace && Space != 0)
    return false;
  auto *Other = dyn_cast<GlobalVariable>(Object);
  if (!Other || Other == Variable)
    return true;
  // Dynamic shared memory has many names.
  return Other->isDeclaration() && Variable->isDeclaration();
}

/// Calls Visit on what stands behind From, or in front of it, on all ways that
/// end at To or Or; until it says true.
bool walk(const Instruction &From, const Instruction &To, const Instruction &Or,
          bool Forward, function_ref<bool(const Instruction &)> Visit) {
  auto Next = [&](const Instruction *I) {
    return Forward ? I->getNextNode() : I->getPrevNode();
  };
  SmallVector<const Instruction *, 16> Work;
  if (const Instruction *I = Next(&From))
    Work.push_back(I);
  SmallPtrSet<const BasicBlock *, 16> Seen;
  auto Go = [&](const BasicBlock *BB) {
    if (Seen.insert(BB).second)
      Work.push_back(Forward ? &BB->front() : &BB->back());
  };
  auto Leave = [&](const BasicBlock *BB) {
    if (Forward)
      for (const BasicBlock *Succ : successors(BB))
        Go(Succ);
    else
      for (const BasicBlock *Pred : predecessors(BB))
        Go(Pred);
  };
  if (Work.empty())
    Leave(From.getParent());
  while (!Work.empty()) {
    const Instruction *I = Work.pop_back_val();
    const BasicBlock *BB = I->getParent();
    bool Arrived = false;
    for (; I && !Arrived; I = Next(I)) {
      Arrived = I == &To || I == &Or;
      if (Visit(*I))
        return true;
    }
    if (!Arrived)
      Leave(BB);
  }
  return false;
}

/// Whether a thread behind one of Splits can come to the store again before it
/// comes to the load, or from the load to the store without a split: then it
/// could write what another thread, still on its way to the load, is about to
/// read.
bool comesRound(const StoreInst &Store, const LoadInst &Load,
                ArrayRef<const Instruction *> Splits) {
  auto IsStore = [&](const Instruction &I) { return &I == &Store; };
  for (const Instruction *Split : Splits)
    if (walk(*Split, Load, Store, /*Forward=*/true, IsStore))
      return true;
  SmallVector<const Instruction *, 8> Work{&Load};
  SmallPtrSet<const BasicBlock *, 16> Seen;
  while (!Work.empty()) {
    const Instruction *I = Work.pop_back_val();
    const BasicBlock *BB = I->getParent();
    for (; I && !isSplit(*I); I = I->getNextNode())
      if (I == &Store)
        return true;
    if (!I)
      for (const BasicBlock *Succ : successors(BB))
        if (Seen.insert(Succ).second)
          Work.push_back(&Succ->front());
  }
  return false;
}

/// Whether the load gives what its thread has stored, and the two are on
/// different sides of a split.
bool givesStored(const StoreInst &Store, const LoadInst &Load) {
  const GlobalVariable *Variable = sharedVariable(Load.getPointerOperand());
  SmallPtrSet<const Instruction *, 32> Behind;
  // The load may come round to itself, with stores on the way.
  walk(Store, Store, Store, /*Forward=*/true, [&](const Instruction &I) {
    Behind.insert(&I);
    return false;
  });
  SmallVector<const Instruction *, 4> Splits;
  bool Spoilt =
      walk(Load, Store, Store, /*Forward=*/false, [&](const Instruction &I) {
        if (&I == &Store || !Behind.contains(&I))
          return false;
        if (isSplit(I))
          Splits.push_back(&I);
        return mayWrite(I, Variable);
      });
  return !Spoilt && !Splits.empty() && !comesRound(Store, Load, Splits);
}

/// Whether nothing but plain stores, and loads among Known, access Variable.
bool isOtherwiseUnread(const GlobalVariable &Variable,
                       const DenseMap<LoadInst *, StoreInst *> &Known) {
  if (Variable.isDeclaration()) // dynamic shared memory has many names
    return false;
  SmallVector<const Value *, 8> Work{&Variable};
  while (!Work.empty()) {
    const Value *Address = Work.pop_back_val();
    for (const User *U : Address->users()) {
      if (auto *Store = dyn_cast<StoreInst>(U);
          Store && Store->isSimple() && Store->getValueOperand() != Address)
        continue;
      if (auto *Load = dyn_cast<LoadInst>(U);
          Load && Known.contains(const_cast<LoadInst *>(Load)))
        continue;
      if (!isa<GetElementPtrInst>(U))
        return false;
      Work.push_back(U);
    }
  }
  return true;
}

/// Takes the stores to Variable away, which nobody reads; how many.
unsigned removeStores(GlobalVariable &Variable) {
  SmallVector<Value *, 8> Work{&Variable};
  SmallVector<Instruction *, 8> Stores, Addresses;
  while (!Work.empty()) {
    Value *Address = Work.pop_back_val();
    for (User *U : Address->users())
      if (auto *Store = dyn_cast<StoreInst>(U))
        Stores.push_back(Store);
      else {
        Addresses.push_back(cast<Instruction>(U));
        Work.push_back(U);
      }
  }
  for (Instruction *Store : Stores)
    Store->eraseFromParent();
  for (Instruction *Step : reverse(Addresses))
    Step->eraseFromParent();
  return Stores.size();
}

} // namespace

unsigned retrograd::forwardAcrossBarriers(Function &Kernel) {
  unsigned Count = 0;
  DominatorTree DT(Kernel);
  SmallVector<LoadInst *, 16> Loads;
  for (Instruction &I : instructions(Kernel))
    if (auto *Load = dyn_cast<LoadInst>(&I);
        Load && Load->isSimple() && sharedVariable(Load->getPointerOperand()))
      Loads.push_back(Load);
  MapVector<LoadInst *, StoreInst *> Found;
  DenseMap<LoadInst *, StoreInst *> Known;
  for (LoadInst *Load : Loads)
    for (User *U : Load->getPointerOperand()->users()) {
      auto *Store = dyn_cast<StoreInst>(U);
      if (!Store || !Store->isSimple() ||
          Store->getPointerOperand() != Load->getPointerOperand() ||
          Store->getFunction() != &Kernel ||
          Store->getValueOperand()->getType() != Load->getType() ||
          !DT.dominates(Store, Load) || !givesStored(*Store, *Load))
        continue;
      Found[Load] = Known[Load] = Store;
      break;
    }
  // A value that crosses the barrier in a thread's slot is worth it where it
  // replaces the variable; beside the variable only if it needs no slot.
  SmallPtrSet<GlobalVariable *, 4> Gone;
  for (auto [Load, Store] : Found) {
    auto *Variable =
        const_cast<GlobalVariable *>(sharedVariable(Load->getPointerOperand()));
    if (isOtherwiseUnread(*Variable, Known))
      Gone.insert(Variable);
  }
  for (auto [Load, Store] : Found) {
    Value *Stored = Store->getValueOperand();
    if (!Gone.contains(sharedVariable(Load->getPointerOperand())) &&
        !isa<Constant, Argument>(Stored))
      continue;
    Load->replaceAllUsesWith(Stored);
    Load->eraseFromParent();
    ++Count;
  }
  for (GlobalVariable *Variable : Gone)
    Count += removeStores(*Variable);
  return Count;
}
