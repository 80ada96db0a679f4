//===- AdditionsOnWays.cpp - additions where they are not zero ------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/AdditionsOnWays.h"
#include "Polish/DeviceReductions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace retrograd;

/// Instructions that an address is computed by again.
constexpr unsigned MostAgain = 8;

/// The way into B on which X, a phi of B, is a number; null if there are none
/// or several, or if it leads elsewhere, too.
static BasicBlock *onlyWay(const PHINode &X) {
  BasicBlock *Way = nullptr;
  for (unsigned K = 0; K != X.getNumIncomingValues(); ++K) {
    if (match(X.getIncomingValue(K), m_AnyZeroFP()))
      continue;
    if (Way)
      return nullptr;
    Way = X.getIncomingBlock(K);
  }
  return Way && Way->getSingleSuccessor() == X.getParent() ? Way : nullptr;
}

/// What of B has to be computed in front of B, in order, for V to be known
/// there; false if that cannot be.
static bool collectAgain(Value *V, const BasicBlock &B,
                         SmallVectorImpl<Instruction *> &Again) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || I->getParent() != &B || isa<PHINode>(I) || is_contained(Again, I))
    return true;
  if (I->mayReadOrWriteMemory() || !isSafeToSpeculativelyExecute(I) ||
      !all_of(I->operands(),
              [&](Value *Part) { return collectAgain(Part, B, Again); }) ||
      Again.size() == MostAgain)
    return false;
  Again.push_back(I);
  return true;
}

static bool move(AtomicRMWInst &Add) {
  BasicBlock &B = *Add.getParent();
  auto *X = dyn_cast<PHINode>(Add.getValOperand());
  BasicBlock *Way = X && X->getParent() == &B ? onlyWay(*X) : nullptr;
  SmallVector<Instruction *, MostAgain> Again;
  if (!Way || !collectAgain(Add.getPointerOperand(), B, Again))
    return false;
  ValueToValueMapTy There;
  for (PHINode &Phi : B.phis())
    There[&Phi] = Phi.getIncomingValueForBlock(Way);
  Instruction *End = Way->getTerminator();
  auto Put = [&](Instruction *I) {
    I->insertBefore(End->getIterator());
    RemapInstruction(I, There,
                     RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
  };
  for (Instruction *I : Again) {
    Instruction *Copy = I->clone();
    Put(Copy);
    There[I] = Copy;
    // What stands there already, so that addresses are seen to be one.
    for (Instruction &Other : *Way)
      if (&Other != Copy && Other.isIdenticalTo(Copy)) {
        There[I] = &Other;
        Copy->eraseFromParent();
        break;
      }
  }
  Add.removeFromParent();
  Put(&Add);
  return true;
}

bool retrograd::moveAdditionsToTheirWay(Function &F, const Target &Machine,
                                        AAResults &AA) {
  bool Changed = false;
  for (BasicBlock &B : F) {
    if (!B.hasNPredecessorsOrMore(2))
      continue;
    // What an addition would come before; additions do not see each other.
    SmallVector<Instruction *, 8> Passed;
    for (Instruction &I : make_early_inc_range(B)) {
      if (isPlainAddition(I, Machine)) {
        auto &Add = cast<AtomicRMWInst>(I);
        const MemoryLocation Place(
            Add.getPointerOperand(),
            LocationSize::precise(
                B.getDataLayout().getTypeStoreSize(Add.getType())),
            Add.getAAMetadata());
        Changed |=
            none_of(Passed,
                    [&](Instruction *Other) {
                      return isModOrRefSet(AA.getModRefInfo(Other, Place));
                    }) &&
            move(Add);
        continue;
      }
      if (!I.mayReadOrWriteMemory() ||
          I.hasMetadata(LLVMContext::MD_invariant_load))
        continue;
      if (!isa<LoadInst, StoreInst>(I))
        break;
      Passed.push_back(&I);
    }
  }
  return Changed;
}
