//===- SameForBlock.cpp - numbers that a block has in common --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/Device/SameForBlock.h"
#include "Catalogue/ThreadIdentity.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;
using namespace retrograd;

bool retrograd::threadsMayWait(const Loop &L) {
  return any_of(L.blocks(), [](const BasicBlock *B) {
    return any_of(*B, [](const Instruction &I) {
      const auto *C = dyn_cast<CallBase>(&I);
      return C && C->isConvergent();
    });
  });
}

static bool isSame(const Value *V) {
  SmallVector<const Value *, 16> Work{V};
  SmallPtrSet<const Value *, 32> Seen;
  while (!Work.empty()) {
    const Value *W = Work.pop_back_val();
    const auto *I = dyn_cast<Instruction>(W);
    if (!I || !Seen.insert(I).second)
      continue;
    if (const auto *C = dyn_cast<CallBase>(I)) {
      std::optional<ThreadIdentity> Who = ThreadIdentity::of(*C);
      if (Who ? !Who->isSameInBlock()
              : C->mayReadOrWriteMemory() || ThreadIdentity::asksElse(*C))
        return false;
    } else if (!isa<UnaryOperator, BinaryOperator, CastInst, CmpInst,
                    SelectInst, GetElementPtrInst, FreezeInst>(I) &&
               !(isa<LoadInst>(I) && !I->isAtomic())) {
      return false;
    }
    append_range(Work, I->operands());
  }
  return true;
}

bool retrograd::isSameForBlock(const SCEV *Number) {
  struct Leaves {
    bool Same = true;
    bool follow(const SCEV *S) {
      if (const auto *Unknown = dyn_cast<SCEVUnknown>(S))
        Same &= isSame(Unknown->getValue());
      Same &= !isa<SCEVCouldNotCompute, SCEVAddRecExpr>(S);
      return Same;
    }
    bool isDone() const { return !Same; }
  } Found;
  visitAll(Number, Found);
  return Found.Same;
}
