//===- LateInitials.cpp - where adjoints begin ----------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/LateInitials.h"
#include "Target/Target.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

/// The store of a constant in A's own block that comes before all other
/// accesses; null if there is none, or somebody knows the address of A.
static StoreInst *initialOf(AllocaInst &A) {
  StoreInst *First = nullptr;
  for (User *U : A.users()) {
    if (auto *L = dyn_cast<LoadInst>(U); L && L->isSimple()) {
      if (L->getParent() == A.getParent())
        return nullptr;
      continue;
    }
    auto *S = dyn_cast<StoreInst>(U);
    if (!S || !S->isSimple() || S->getValueOperand() == &A)
      return nullptr;
    if (S->getParent() != A.getParent())
      continue;
    if (First || !isa<Constant>(S->getValueOperand()))
      return nullptr;
    First = S;
  }
  return First;
}

/// Whether a variable holds Initial, as at first, whenever Before is entered:
/// no store of anything else reaches it. Last is the variable's last store of
/// each block that has one.
static bool
isInitialAt(const BasicBlock &Before, const Value &Initial,
            const SmallMapVector<const BasicBlock *, StoreInst *, 8> &Last) {
  SmallVector<const BasicBlock *, 16> Open;
  SmallPtrSet<const BasicBlock *, 16> Seen;
  for (const auto &[B, S] : Last)
    if (S->getValueOperand() != &Initial)
      append_range(Open, successors(B));
  while (!Open.empty()) {
    const BasicBlock *B = Open.pop_back_val();
    if (B == &Before)
      return false;
    if (Seen.insert(B).second && !Last.contains(B))
      append_range(Open, successors(B));
  }
  return true;
}

bool retrograd::setInitialsLate(Function &F, const DominatorTree &DT,
                                const CycleInfo &Cycles) {
  bool Changed = false;
  BasicBlock &Entry = F.getEntryBlock();
  SmallVector<AllocaInst *, 32> Variables;
  for (Instruction &I : Entry)
    if (auto *A = dyn_cast<AllocaInst>(&I))
      Variables.push_back(A);
  for (AllocaInst *A : Variables) {
    StoreInst *First = initialOf(*A);
    if (!First)
      continue;
    BasicBlock *Before = nullptr;
    SmallPtrSet<const Instruction *, 8> Accesses;
    SmallMapVector<const BasicBlock *, StoreInst *, 8> Last;
    for (User *U : A->users()) {
      auto *Access = cast<Instruction>(U);
      if (Access == First || !DT.isReachableFromEntry(Access->getParent()))
        continue;
      Accesses.insert(Access);
      if (auto *S = dyn_cast<StoreInst>(Access)) {
        StoreInst *&L = Last[S->getParent()];
        if (!L || L->comesBefore(S))
          L = S;
      }
      Before = Before
                   ? DT.findNearestCommonDominator(Before, Access->getParent())
                   : Access->getParent();
    }
    if (!Before)
      continue;
    const auto PlaceIn = [&](BasicBlock &B) {
      BasicBlock::iterator At = B.getFirstInsertionPt();
      while (!At->isTerminator() && !Accesses.contains(&*At))
        ++At;
      return At;
    };
    BasicBlock::iterator At = PlaceIn(*Before);
    // In a cycle it begins in each iteration. Elsewhere an adjoint begins once.
    // Loops that an exception leaves are entered in the middle by the reverse
    // sweep: cycles, not loops. (Of kernels, which are small, later steps know
    // the form with the store in front.)
    if (Cycles.getCycle(Before) &&
        (Target(*F.getParent()).manyThreads() ||
         (!isa<StoreInst>(At) &&
          !isInitialAt(*Before, *First->getValueOperand(), Last)))) {
      while (Before && Cycles.getCycle(Before))
        Before = DT.getNode(Before)->getIDom()->getBlock();
      At = PlaceIn(*Before);
    }
    if (Before == &Entry)
      continue;
    First->moveBefore(*Before, At);
    Changed = true;
  }
  return Changed;
}
