//===- LiveBlocks.cpp - what a derivative can come back from --------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/LiveBlocks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace retrograd;

SmallPtrSet<const BasicBlock *, 32>
retrograd::blocksThatReturn(const Function &F) {
  SmallPtrSet<const BasicBlock *, 32> Found;
  SmallVector<const BasicBlock *, 32> Work;
  for (const BasicBlock &BB : F)
    if (isa<ReturnInst>(BB.getTerminator()))
      Work.push_back(&BB);
  while (!Work.empty()) {
    const BasicBlock *BB = Work.pop_back_val();
    if (Found.insert(BB).second)
      append_range(Work, predecessors(BB));
  }
  return Found;
}
