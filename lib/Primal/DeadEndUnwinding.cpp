//===- DeadEndUnwinding.cpp - invokes whose landing pad leads nowhere -----===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/DeadEndUnwinding.h"
#include "Analysis/LiveBlocks.h"
#include "Catalogue/Catalogue.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace retrograd;

namespace {
/// Whether the code that an exception runs on its way out, callees included,
/// leaves something behind that is seen when the exception has left. Giving
/// memory back is nothing of that kind, nor is what destructors do to objects
/// that end.
class CleanUpEffects {
public:
  explicit CleanUpEffects(const Catalogue &Cat) : Cat(Cat) {}

  bool lastFrom(const BasicBlock &Start, bool InCallee = false) {
    SmallPtrSet<const BasicBlock *, 16> Blocks;
    SmallVector<const BasicBlock *, 16> Work{&Start};
    while (!Work.empty()) {
      const BasicBlock *B = Work.pop_back_val();
      if (!Blocks.insert(B).second)
        continue;
      if (any_of(*B, [&](const Instruction &I) { return lasts(I, InCallee); }))
        return true;
      append_range(Work, successors(B));
    }
    return false;
  }

private:
  const Catalogue &Cat;
  SmallPtrSet<const Function *, 16> Seen;

  /// P may point to something else than the object that ends: what a callee was
  /// given is that, or a part of it.
  bool pointsOutside(const Value *P, bool InCallee, unsigned Depth = 0) {
    P = getUnderlyingObject(P);
    if (isa<AllocaInst>(P) || Depth == 8)
      return Depth == 8;
    if (isa<Argument>(P))
      return !InCallee;
    if (isa<CallBase>(P))
      return false; // an accessor
    const auto *L = dyn_cast<LoadInst>(P);
    const auto *Slot =
        L ? dyn_cast<AllocaInst>(L->getPointerOperand()) : nullptr;
    if (!Slot)
      return true; // a global, or what a member points to
    return any_of(Slot->users(), [&](const User *U) {
      const auto *S = dyn_cast<StoreInst>(U);
      return S && S->getPointerOperand() == Slot &&
             pointsOutside(S->getValueOperand(), InCallee, Depth + 1);
    });
  }

  bool lasts(const Instruction &I, bool InCallee) {
    if (const auto *S = dyn_cast<StoreInst>(&I)) {
      const auto *Value = dyn_cast<Constant>(S->getValueOperand());
      bool Ends = Value && Value->isNullValue() && !S->isAtomic();
      return !Ends && pointsOutside(S->getPointerOperand(), InCallee);
    }
    const auto *C = dyn_cast<CallBase>(&I);
    if (!C || isa<IntrinsicInst>(C) || C->doesNotReturn())
      return false;
    const Function *Callee = C->getCalledFunction();
    if (!Callee)
      return false; // std::function and virtual destructors
    if (const OperationRecord *R = Cat.lookup(*C))
      return R->Class != RuleClass::Deallocation && !R->OfCharacters;
    return Callee->isDeclaration() ||
           (Seen.insert(Callee).second &&
            lastFrom(Callee->getEntryBlock(), /*InCallee=*/true));
  }
};
} // namespace

void retrograd::dropDeadEndUnwinding(Function &F, const Catalogue &Cat) {
  auto Returning = blocksThatReturn(F);
  bool Changed = false;
  DenseMap<const BasicBlock *, bool> Dropped;
  auto Drops = [&](const BasicBlock *Pad) {
    auto [It, New] = Dropped.try_emplace(Pad);
    if (New)
      It->second = !CleanUpEffects(Cat).lastFrom(*Pad);
    return It->second;
  };
  for (BasicBlock &BB : F)
    if (auto *II = dyn_cast<InvokeInst>(BB.getTerminator()))
      if (!Returning.contains(II->getUnwindDest()) &&
          Drops(II->getUnwindDest())) {
        changeToCall(II);
        Changed = true;
      }
  if (Changed)
    removeUnreachableBlocks(F);
  if (F.hasPersonalityFn() &&
      none_of(F, [](const BasicBlock &BB) { return BB.isEHPad(); }))
    F.setPersonalityFn(nullptr);
}
