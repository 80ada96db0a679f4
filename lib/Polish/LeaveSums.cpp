//===- LeaveSums.cpp - adjoints that are taken and given back -------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/LeaveSums.h"
#include "Polish/DeviceReductions.h"
#include "Polish/KnownSpaces.h"
#include "Target/Target.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

/// What gives back all that Take, the exchange that takes an adjoint, has
/// taken: y += x, in reverse. An atomic addition, or, where the place is the
/// thread's own, a load, an addition and a store, in the order in which they
/// can be erased. Empty if there is no such.
static SmallVector<Instruction *, 3>
givenBack(AtomicRMWInst &Take, const Target &Machine, AAResults &AA) {
  auto *Zero = dyn_cast<ConstantInt>(Take.getValOperand());
  if (Take.isVolatile() || !Zero || !Zero->isZero() ||
      Take.getOrdering() != AtomicOrdering::Monotonic ||
      !leadsToGlobal(*Take.getPointerOperand(), Machine))
    return {};
  const MemoryLocation Where = MemoryLocation::get(&Take);
  auto IsTaken = [&](Value *V) {
    auto *Number = dyn_cast<BitCastInst>(V);
    return Number && Number->getOperand(0) == &Take;
  };
  LoadInst *Empty = nullptr; // finds the zero that the exchange left
  for (Instruction *I = Take.getNextNode(); I; I = I->getNextNode()) {
    if (!I->mayReadOrWriteMemory())
      continue;
    const bool Same =
        (isa<LoadInst>(I) || isa<StoreInst>(I) || isa<AtomicRMWInst>(I)) &&
        AA.isMustAlias(MemoryLocation::get(I), Where);
    if (isPlainAddition(*I, Machine)) {
      if (Same && !Empty && IsTaken(cast<AtomicRMWInst>(I)->getValOperand()))
        return {I};
      // What others of this thread add may come before the load or behind it.
      if (Empty && isModOrRefSet(AA.getModRefInfo(I, Where)))
        return {};
    } else if (auto *L = dyn_cast<LoadInst>(I);
               L && Same && L->isSimple() && L->hasOneUse() && !Empty) {
      Empty = L;
    } else if (auto *S = dyn_cast<StoreInst>(I);
               S && Same && S->isSimple() && Empty) {
      auto *Sum = dyn_cast<BinaryOperator>(S->getValueOperand());
      if (!Sum || Sum->getOpcode() != Instruction::FAdd || !Sum->hasOneUse() ||
          Empty->user_back() != Sum ||
          !IsTaken(Sum->getOperand(0) == Empty ? Sum->getOperand(1)
                                               : Sum->getOperand(0)))
        return {};
      return {S, Sum, Empty};
    } else if (isa<CallBase>(I) || isa<FenceInst>(I) ||
               isModOrRefSet(AA.getModRefInfo(I, Where))) {
      return {};
    }
  }
  return {};
}

void retrograd::leaveSums(Function &F, const Target &Machine, AAResults &AA) {
  SyncScope::ID Device = F.getContext().getOrInsertSyncScopeID("device");
  SmallVector<AtomicRMWInst *, 16> Exchanges;
  for (Instruction &I : instructions(F))
    if (auto *Take = dyn_cast<AtomicRMWInst>(&I);
        Take && Take->getOperation() == AtomicRMWInst::Xchg)
      Exchanges.push_back(Take);
  for (AtomicRMWInst *Take : Exchanges) {
    SmallVector<Instruction *, 3> Back = givenBack(*Take, Machine, AA);
    if (Back.empty())
      continue;
    // Others may have added to it by atomics, of which the nearest cache knows
    // nothing.
    auto *Look =
        new LoadInst(Take->getType(), Take->getPointerOperand(), "",
                     /*isVolatile=*/false, Take->getAlign(),
                     AtomicOrdering::Monotonic, Device, Take->getIterator());
    Look->setDebugLoc(Take->getDebugLoc());
    Look->setAAMetadata(Take->getAAMetadata());
    Take->replaceAllUsesWith(Look);
    for (Instruction *I : Back)
      I->eraseFromParent();
    Take->eraseFromParent();
  }
}
