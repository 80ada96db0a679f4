//===- LoadHoisting.cpp - loads out of loops over threads -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM leaves a load in a loop that stores anywhere near. In a loop over
// threads it can go as soon as nothing in front of it, in the same iteration,
// writes there: think of the threads in lock step. Were the load's memory
// written behind it, by this thread or another, the loads of all the others
// would be in a race with that. (W. S. Moses' thesis, 9.4.3.) The load has to
// be done in every iteration, since its address may be wrong where the kernel
// asks first.
//
//===----------------------------------------------------------------------===//

#include "Offload/LoadHoisting.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

/// The access groups whose accesses L promises not to conflict.
static SmallPtrSet<const MDNode *, 2> parallelGroups(const Loop &L) {
  SmallPtrSet<const MDNode *, 2> Groups;
  if (MDNode *Promise = findOptionMDForLoop(&L, "llvm.loop.parallel_accesses"))
    for (const MDOperand &Op : drop_begin(Promise->operands()))
      Groups.insert(cast<MDNode>(Op));
  return Groups;
}

static bool isIn(const Instruction &I,
                 const SmallPtrSetImpl<const MDNode *> &Groups) {
  MDNode *Own = I.getMetadata(LLVMContext::MD_access_group);
  if (!Own)
    return false;
  if (Groups.contains(Own))
    return true;
  return any_of(Own->operands(), [&](const MDOperand &Op) {
    return Groups.contains(dyn_cast<MDNode>(Op.get()));
  });
}

static bool hoistFrom(Loop &L, LoopInfo &Loops, DominatorTree &DT,
                      AAResults &AA) {
  SmallPtrSet<const MDNode *, 2> Groups = parallelGroups(L);
  BasicBlock *Preheader = L.getLoopPreheader(), *Latch = L.getLoopLatch();
  if (Groups.empty() || !Preheader || !Latch)
    return false;
  bool Changed = false;
  SmallVector<Instruction *, 8> Writers; // in front of where we are
  LoopBlocksRPO Blocks(&L);
  Blocks.perform(&Loops);
  for (BasicBlock *BB : Blocks)
    for (Instruction &I : make_early_inc_range(*BB)) {
      if (!isGuaranteedToTransferExecutionToSuccessor(&I))
        return Changed; // nothing behind is sure to be done
      auto *Load = dyn_cast<LoadInst>(&I);
      if (Load && Load->isSimple() && isIn(I, Groups) &&
          Loops.getLoopFor(BB) == &L && DT.dominates(BB, Latch)) {
        MemoryLocation At = MemoryLocation::get(Load);
        bool Moved = false;
        if (none_of(Writers,
                    [&](Instruction *W) {
                      return isModSet(AA.getModRefInfo(W, At));
                    }) &&
            L.makeLoopInvariant(Load->getPointerOperand(), Moved,
                                Preheader->getTerminator())) {
          Load->moveBefore(Preheader->getTerminator()->getIterator());
          Changed = true;
          continue;
        }
        Changed |= Moved;
      }
      if (I.mayWriteToMemory())
        Writers.push_back(&I);
    }
  return Changed;
}

PreservedAnalyses LoadHoistingPass::run(Function &F,
                                        FunctionAnalysisManager &FAM) {
  auto &Loops = FAM.getResult<LoopAnalysis>(F);
  auto &DT = FAM.getResult<DominatorTreeAnalysis>(F);
  auto &AA = FAM.getResult<AAManager>(F);
  bool Changed = false;
  SmallVector<Loop *, 8> Order = Loops.getLoopsInPreorder();
  for (Loop *L :
       reverse(Order)) // inner ones first: what leaves them may leave more
    Changed |= hoistFrom(*L, Loops, DT, AA);
  if (!Changed)
    return PreservedAnalyses::all();
  PreservedAnalyses Kept;
  Kept.preserveSet<CFGAnalyses>();
  return Kept;
}
