//===- RunAgain.cpp - loops that run in both sweeps -----------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which loops may run a second time (DeferredLoops.h). How often one runs need
// not be known in front: the first run counts.
//
//===----------------------------------------------------------------------===//

#include "Catalogue/Catalogue.h"
#include "Plan/DeferredLoops.h"
#include "Plan/Recipes.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;
using namespace retrograd;

bool LoopDeferral::canRunAgain(const Loop &L,
                               SmallVectorImpl<const StoreInst *> &Once) {
  Once.clear();
  Stores.clear();
  Written.clear();
  if (L.getParentLoop() || L.isInnermost() || !hasShape(L))
    return false;
  for (const PHINode &Phi : L.getHeader()->phis())
    if (!How.isComputedPhi(Phi) && (Subject.Activity.hasShadow(&Phi) ||
                                    Phi.getType()->isPtrOrPtrVectorTy()))
      return false;
  for (const PHINode &Phi : L.getExitBlock()->phis())
    if (Subject.Activity.hasShadow(&Phi))
      return false;
  auto IsTile = [&](const Value *Object) {
    const Replay *R = How.replayOfArray(*Object);
    return R && L.contains(R->Of);
  };
  for (const BasicBlock *B : L.blocks())
    for (const Instruction &I : *B) {
      const auto *S = dyn_cast<StoreInst>(&I);
      if (!S || is_contained(Unneeded, S))
        continue;
      if (!S->isSimple() ||
          S->getValueOperand()->getType()->isPtrOrPtrVectorTy())
        return false;
      SmallVector<const Value *, 4> Objects;
      getUnderlyingObjects(S->getPointerOperand(), Objects, nullptr,
                           /*MaxLookup=*/0);
      // What is read within the loop is written again, what is not is not.
      if (all_of(Objects,
                 [&](const Value *O) { return IsTile(O) || isOwn(*O, L); })) {
        Stores.push_back(S);
        Written.insert(Objects.begin(), Objects.end());
      } else if (any_of(Objects, [&](const Value *O) {
                   return IsTile(O) || isa<Instruction>(O) ||
                          Subject.Machine.spaceOf(*O) == MemorySpace::Shared ||
                          Subject.Machine.spaceOf(*O) == MemorySpace::Private;
                 })) {
        return false;
      } else {
        Once.push_back(S);
      }
    }
  auto MayRunTwice = [&](const Instruction &I) {
    if (const auto *Load = dyn_cast<LoadInst>(&I); Load && Load->isSimple())
      if (const Replay *R = How.replayOf(*Load); R && L.contains(R->Of))
        return true;
    if (const auto *C = dyn_cast<CallInst>(&I))
      if (const OperationRecord *R = Subject.facts().catalogue().lookup(*C);
          R && R->Id == "block_barrier")
        return true;
    return isHarmless(I, L);
  };
  for (const BasicBlock *B : L.blocks())
    for (const Instruction &I : *B)
      if (!MayRunTwice(I))
        return false;
  return true;
}
