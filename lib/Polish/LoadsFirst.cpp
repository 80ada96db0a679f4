//===- LoadsFirst.cpp - loads in front of stores --------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/LoadsFirst.h"
#include "Polish/DeviceReductions.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace retrograd;

/// Each holds a register until its turn comes.
static constexpr unsigned MostMoved = 16;
/// To compute an address.
static constexpr unsigned MostSteps = 12;

/// What I needs of the code from Place on, in order; false if that cannot go
/// before Place.
static bool needsBehind(Instruction &I, const Instruction &Place,
                        SmallSetVector<Instruction *, 8> &Steps) {
  for (Value *V : I.operands()) {
    auto *Step = dyn_cast<Instruction>(V);
    if (!Step || Step->getParent() != Place.getParent() ||
        Step->comesBefore(&Place) || Steps.contains(Step))
      continue;
    if (isa<PHINode>(Step) || Step->mayReadOrWriteMemory() ||
        !isSafeToSpeculativelyExecute(Step) || Steps.size() == MostSteps ||
        !needsBehind(*Step, Place, Steps))
      return false;
    Steps.insert(Step);
  }
  return true;
}

/// Reads, and writes nothing but zero where it reads: an adjoint that is taken.
static bool isTaking(const Instruction &I) {
  const auto *A = dyn_cast<AtomicRMWInst>(&I);
  return A && A->getOperation() == AtomicRMWInst::Xchg && !A->isVolatile() &&
         A->getOrdering() == AtomicOrdering::Monotonic;
}

static bool isMovable(const Instruction &I) {
  if (isTaking(I))
    return true;
  const auto *L = dyn_cast<LoadInst>(&I);
  return L && !L->isVolatile() &&
         (!L->isAtomic() || L->getOrdering() == AtomicOrdering::Monotonic);
}

void retrograd::moveLoadsFirst(Function &F, const Target &Machine,
                               AAResults &AA) {
  for (BasicBlock &B : F) {
    Instruction *Place = nullptr;
    SmallVector<Instruction *, 16>
        Stay; // of what touches memory, from Place on
    unsigned Moved = 0;
    for (Instruction &I : make_early_inc_range(B)) {
      if (isMovable(I)) {
        if (!Place)
          continue;
        const MemoryLocation From = MemoryLocation::get(&I);
        SmallSetVector<Instruction *, 8> Steps;
        if (any_of(Stay,
                   [&](Instruction *S) {
                     const ModRefInfo Does = AA.getModRefInfo(S, From);
                     return isTaking(I) ? isModOrRefSet(Does) : isModSet(Does);
                   }) ||
            !needsBehind(I, *Place, Steps)) {
          Stay.push_back(&I);
          continue;
        }
        for (Instruction *Step : Steps)
          Step->moveBefore(Place->getIterator());
        I.moveBefore(Place->getIterator());
        if (++Moved == MostMoved)
          Place = nullptr;
      } else if (auto *S = dyn_cast<StoreInst>(&I);
                 (S && S->isSimple()) || isPlainAddition(I, Machine)) {
        if (!Place) {
          Place = &I;
          Stay.clear();
          Moved = 0;
        }
        Stay.push_back(&I);
      } else if (I.mayReadOrWriteMemory()) {
        Place = nullptr;
      }
    }
  }
}
