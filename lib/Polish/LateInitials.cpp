//===- LateInitials.cpp - where adjoints begin ----------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/LateInitials.h"
#include "llvm/ADT/SmallPtrSet.h"
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
    for (User *U : A->users()) {
      auto *Access = cast<Instruction>(U);
      if (Access == First || !DT.isReachableFromEntry(Access->getParent()))
        continue;
      Accesses.insert(Access);
      Before = Before
                   ? DT.findNearestCommonDominator(Before, Access->getParent())
                   : Access->getParent();
    }
    // An adjoint begins once, not in each iteration. Loops that an exception
    // leaves are entered in the middle by the reverse sweep: cycles, not loops.
    while (Before && Cycles.getCycle(Before))
      Before = DT.getNode(Before)->getIDom()->getBlock();
    if (!Before || Before == &Entry)
      continue;
    BasicBlock::iterator At = Before->getFirstInsertionPt();
    while (!At->isTerminator() && !Accesses.contains(&*At))
      ++At;
    First->moveBefore(*Before, At);
    Changed = true;
  }
  return Changed;
}
