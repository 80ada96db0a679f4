//===- BarrierElimination.cpp - barriers that order nothing -===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A barrier is needed if memory that one thread wrote in front of it is accessed by
// another behind it, or the other way round. What is in front is everything on the ways back to other
// barriers or the start; behind, on the ways to others or the end. Two accesses can
// meet unless their objects are different variables, or in different address spaces.
// A barrier that is gone lengthens the ways of its neighbours, so one is taken at a time.
// Which thread accesses what is not looked at: that would need the addresses as functions
// of the thread's number (the "hole" of the thesis, 9.3.1).
//
//===----------------------------------------------------------------------===//

#include "Offload/BarrierElimination.h"
#include "Offload/SplitPoints.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

namespace {

/// Objects that are read and written; null is anything.
struct Effects {
  SmallPtrSet<const Value *, 8> Read, Written;
};

void add(SmallPtrSet<const Value *, 8> &Set, const Value *Address) {
  SmallVector<const Value *, 4> Objects;
  getUnderlyingObjects(Address, Objects);
  for (const Value *O : Objects)
    if (!isa<AllocaInst>(O)) // a thread's own
      Set.insert(isa<GlobalVariable, Argument>(O) ? O : nullptr);
}

void add(Effects &E, const Instruction &I) {
  if (auto *Load = dyn_cast<LoadInst>(&I))
    add(E.Read, Load->getPointerOperand());
  else if (auto *Store = dyn_cast<StoreInst>(&I))
    add(E.Written, Store->getPointerOperand());
  else if (I.mayReadOrWriteMemory()) {
    if (auto *Intrinsic = dyn_cast<IntrinsicInst>(&I);
        Intrinsic && (Intrinsic->isAssumeLikeIntrinsic() || Intrinsic->doesNotAccessMemory()))
      return;
    E.Read.insert(nullptr);
    E.Written.insert(nullptr);
  }
}

bool isPlainBarrier(const Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  bool Is = false;
  return Call && splitKindOf(*Call, Is) == SplitKind::BlockBarrier && Is && Call->getType()->isVoidTy();
}
bool isAnyBarrier(const Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  bool Is = false;
  return Call && splitKindOf(*Call, Is) == SplitKind::BlockBarrier && Is;
}

/// Everything on the ways from Barrier to others, forward or back. False when a way
/// comes round to Barrier itself, which then orders its own repetitions.
bool collect(const Instruction &Barrier, bool Forward, Effects &E) {
  SmallVector<std::pair<const BasicBlock *, const Instruction *>, 8> Work{{Barrier.getParent(), &Barrier}};
  SmallPtrSet<const BasicBlock *, 16> Seen;
  bool Returns = false;
  while (!Work.empty()) {
    auto [BB, From] = Work.pop_back_val();
    bool Stopped = false;
    auto Visit = [&](const Instruction &I) {
      if (isAnyBarrier(I)) {
        Returns |= &I == &Barrier;
        Stopped = true;
        return false;
      }
      add(E, I);
      return true;
    };
    if (Forward) {
      for (auto It = From ? std::next(From->getIterator()) : BB->begin(); It != BB->end(); ++It)
        if (!Visit(*It))
          break;
    } else {
      for (auto It = From ? std::next(From->getReverseIterator()) : BB->rbegin(); It != BB->rend(); ++It)
        if (!Visit(*It))
          break;
    }
    if (Stopped)
      continue;
    auto Go = [&](const BasicBlock *Next) {
      if (Seen.insert(Next).second)
        Work.push_back({Next, nullptr});
    };
    if (Forward)
      for (const BasicBlock *Next : successors(BB))
        Go(Next);
    else
      for (const BasicBlock *Next : predecessors(BB))
        Go(Next);
  }
  return !Returns;
}

bool mayMeet(const Value *A, const Value *B) {
  if (!A || !B)
    return true;
  if (A == B)
    return true;
  auto *GA = dyn_cast<GlobalVariable>(A), *GB = dyn_cast<GlobalVariable>(B);
  if (GA && GB) // dynamic shared memory may have several names
    return GA->isDeclaration() && GB->isDeclaration();
  // What the host passes never leads to shared memory.
  constexpr unsigned SharedSpace = 3;
  return !((GA && GA->getAddressSpace() == SharedSpace) || (GB && GB->getAddressSpace() == SharedSpace));
}

bool conflict(const SmallPtrSet<const Value *, 8> &A, const SmallPtrSet<const Value *, 8> &B) {
  for (const Value *X : A)
    for (const Value *Y : B)
      if (mayMeet(X, Y))
        return true;
  return false;
}

} // namespace

unsigned retrograd::eliminateBarriers(Function &Kernel) {
  unsigned Count = 0;
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (Instruction &I : instructions(Kernel)) {
      if (!isPlainBarrier(I))
        continue;
      Effects Front, Behind;
      if (!collect(I, false, Front) || !collect(I, true, Behind))
        continue;
      if (conflict(Front.Written, Behind.Written) || conflict(Front.Written, Behind.Read) ||
          conflict(Front.Read, Behind.Written))
        continue;
      I.eraseFromParent();
      ++Count;
      Changed = true;
      break;
    }
  }
  return Count;
}
