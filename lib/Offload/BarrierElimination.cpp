//===- BarrierElimination.cpp - barriers that order nothing ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A barrier is needed if memory that one thread wrote in front of it is
// accessed by another behind it, or the other way round. What is in front is
// everything on the ways back to other barriers or the start; behind, on the
// ways to others or the end. Two accesses can meet unless their objects are
// different variables, or in different address spaces. A barrier that is gone
// lengthens the ways of its neighbours, so one is taken at a time. Which thread
// accesses what is not looked at: that would need the addresses as functions of
// the thread's number (the "hole" of the thesis, 9.3.1).
//
// Two barriers that each order something may be one in between: "W a; barrier;
// W b; R a; barrier; R b" needs one, behind W b. So a barrier is put on trial
// in front of each access of a block that has a barrier, which all threads come
// to, and stays if more go than it costs, with what stands in loops counted as
// dearer (9.4.1).
//
//===----------------------------------------------------------------------===//

#include "Offload/BarrierElimination.h"
#include "Offload/SplitPoints.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
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
        Intrinsic && (Intrinsic->isAssumeLikeIntrinsic() ||
                      Intrinsic->doesNotAccessMemory()))
      return;
    E.Read.insert(nullptr);
    E.Written.insert(nullptr);
  }
}

bool isPlainBarrier(const Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  bool Is = false;
  return Call && splitKindOf(*Call, Is) == SplitKind::BlockBarrier && Is &&
         Call->getType()->isVoidTy();
}
bool isAnyBarrier(const Instruction &I) {
  auto *Call = dyn_cast<CallInst>(&I);
  bool Is = false;
  return Call && splitKindOf(*Call, Is) == SplitKind::BlockBarrier && Is;
}

using Barriers = SmallPtrSet<const Instruction *, 8>;

/// Everything on the ways from Barrier to others that are not Gone, forward or
/// back. False when a way comes round to Barrier itself, which then orders its
/// own repetitions.
bool collect(const Instruction &Barrier, bool Forward, const Barriers &Gone,
             Effects &E) {
  SmallVector<std::pair<const BasicBlock *, const Instruction *>, 8> Work{
      {Barrier.getParent(), &Barrier}};
  SmallPtrSet<const BasicBlock *, 16> Seen;
  bool Returns = false;
  while (!Work.empty()) {
    auto [BB, From] = Work.pop_back_val();
    bool Stopped = false;
    auto Visit = [&](const Instruction &I) {
      if (Gone.contains(&I))
        return true;
      if (isAnyBarrier(I)) {
        Returns |= &I == &Barrier;
        Stopped = true;
        return false;
      }
      add(E, I);
      return true;
    };
    if (Forward) {
      for (auto It = From ? std::next(From->getIterator()) : BB->begin();
           It != BB->end(); ++It)
        if (!Visit(*It))
          break;
    } else {
      for (auto It = From ? std::next(From->getReverseIterator())
                          : BB->rbegin();
           It != BB->rend(); ++It)
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
  return !((GA && GA->getAddressSpace() == SharedSpace) ||
           (GB && GB->getAddressSpace() == SharedSpace));
}

bool conflict(const SmallPtrSet<const Value *, 8> &A,
              const SmallPtrSet<const Value *, 8> &B) {
  for (const Value *X : A)
    for (const Value *Y : B)
      if (mayMeet(X, Y))
        return true;
  return false;
}

/// Whether Barrier orders something when those in Gone are not there.
bool orders(const Instruction &Barrier, const Barriers &Gone) {
  Effects Front, Behind;
  if (!collect(Barrier, false, Gone, Front) ||
      !collect(Barrier, true, Gone, Behind))
    return true;
  return conflict(Front.Written, Behind.Written) ||
         conflict(Front.Written, Behind.Read) ||
         conflict(Front.Read, Behind.Written);
}

bool mayTouchMemory(const Instruction &I) {
  Effects E;
  add(E, I);
  return !E.Read.empty() || !E.Written.empty();
}

} // namespace

unsigned retrograd::eliminateBarriers(Function &Kernel) {
  unsigned Count = 0;
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (Instruction &I : instructions(Kernel)) {
      if (!isPlainBarrier(I) || orders(I, {}))
        continue;
      I.eraseFromParent();
      ++Count;
      Changed = true;
      break;
    }
  }
  return Count;
}

unsigned retrograd::moveBarriers(Function &Kernel) {
  constexpr unsigned MostBarriers = 16,
                     MostPlaces = 256; // each place asks all barriers
  DominatorTree DT(Kernel);
  LoopInfo Loops(DT);
  auto Cost = [&](const Instruction &I) {
    return uint64_t(1) << (3 *
                           std::min(Loops.getLoopDepth(I.getParent()), 16u));
  };
  unsigned Moved = 0;
  for (bool Changed = true; Changed;) {
    Changed = false;
    SmallVector<Instruction *, 8> All, Places;
    for (Instruction &I : instructions(Kernel))
      if (isPlainBarrier(I))
        All.push_back(&I);
    if (All.size() < 2 || All.size() > MostBarriers)
      return Moved;
    SmallPtrSet<BasicBlock *, 8> Blocks;
    for (Instruction *Barrier : All)
      if (Blocks.insert(Barrier->getParent()).second)
        for (Instruction &I : *Barrier->getParent())
          if (!isa<PHINode>(I) && !isAnyBarrier(I) && mayTouchMemory(I))
            Places.push_back(&I);
    if (Places.size() > MostPlaces)
      return Moved;
    for (Instruction *Place : Places) {
      Instruction *Trial = nullptr;
      for (Instruction *Barrier : All)
        if (Barrier->getParent() == Place->getParent())
          Trial = Barrier;
      Trial = Trial->clone();
      Trial->insertBefore(Place->getIterator());
      Barriers Gone;
      uint64_t Saved = 0;
      for (Instruction *Barrier : All)
        if (!orders(*Barrier, Gone)) {
          Gone.insert(Barrier);
          Saved += Cost(*Barrier);
        }
      if (Saved <= Cost(*Trial)) {
        Trial->eraseFromParent();
        continue;
      }
      for (Instruction *Barrier : All)
        if (Gone.contains(Barrier))
          Barrier->eraseFromParent();
      ++Moved;
      Changed = true;
      break;
    }
  }
  return Moved;
}
