//===- MergeLatches.cpp - arithmetic behind a loop's exit -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   body:  ...; br %done, %exit, %latch        body:  ...
//   latch: %next = fneg %x; br %body     =>           %next = fneg %x
//                                                     br %done, %exit, %body
//
// What an iteration hands to the next one is not computed in the last, so LLVM
// puts it behind the exit, and its loop rotation takes back integers alone. The
// reverse of y[j + 1] - y[j] hands on a negated number. A loop of two blocks is
// none for the steps of innermost loops, and the vectoriser finds its memory
// out of order.
//
//===----------------------------------------------------------------------===//

#include "Polish/PolishSteps.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;
using namespace retrograd;

/// Once more per run of the loop than needed.
static constexpr unsigned MostInstructions = 8;

/// The latch, if it may run in the last iteration, too.
static BasicBlock *latchToMerge(const Loop &L) {
  BasicBlock *Latch = L.getLoopLatch(), *Exiting = L.getExitingBlock();
  if (!L.isInnermost() || !Latch || !Exiting || Latch == Exiting ||
      Latch->getSinglePredecessor() != Exiting ||
      !Latch->getSingleSuccessor() || isa<PHINode>(Latch->front()) ||
      !isa<BranchInst>(Exiting->getTerminator()))
    return nullptr;
  unsigned Count = 0;
  for (const Instruction &I : *Latch) {
    if (I.isTerminator())
      continue;
    if (isa<CallBase>(I) || I.mayReadOrWriteMemory() ||
        !isSafeToSpeculativelyExecute(&I) || ++Count > MostInstructions)
      return nullptr;
  }
  return Latch;
}

/// In a finished derivative. True if it was changed.
bool retrograd::mergeLatches(Function &Derivative,
                             FunctionAnalysisManager &FAM) {
  auto All = [&] {
    return FAM.getResult<LoopAnalysis>(Derivative).getLoopsInPreorder();
  };
  if (none_of(All(), [](const Loop *L) { return latchToMerge(*L); }))
    return false;
  for (Loop *L : All()) {
    BasicBlock *Latch = latchToMerge(*L);
    if (!Latch)
      continue;
    BasicBlock *Header = L->getHeader(), *Exiting = L->getExitingBlock();
    Instruction *Leave = Exiting->getTerminator();
    Exiting->splice(Leave->getIterator(), Latch, Latch->begin(),
                    Latch->getTerminator()->getIterator());
    Leave->copyMetadata(*Latch->getTerminator(), LLVMContext::MD_loop);
    Leave->replaceSuccessorWith(Latch, Header);
    Header->replacePhiUsesWith(Latch, Exiting);
    FAM.getResult<LoopAnalysis>(Derivative).removeBlock(Latch);
    Latch->eraseFromParent();
  }
  FAM.invalidate(Derivative, PreservedAnalyses::none());
  return true;
}
