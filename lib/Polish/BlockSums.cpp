//===- BlockSums.cpp - sums of whole blocks -------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/BlockSums.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

/// Every way from the entry of F to a return leads through B, and none twice.
/// What ends elsewhere ends the whole kernel with an error.
static bool allComeOnceTo(const BasicBlock &B) {
  SmallPtrSet<const BasicBlock *, 32> Seen{&B};
  SmallVector<const BasicBlock *, 32> Work;
  if (const BasicBlock *Entry = &B.getParent()->getEntryBlock();
      Seen.insert(Entry).second)
    Work.push_back(Entry);
  while (!Work.empty()) {
    const BasicBlock *P = Work.pop_back_val();
    if (isa<ReturnInst>(P->getTerminator()))
      return false;
    for (const BasicBlock *S : successors(P))
      if (Seen.insert(S).second)
        Work.push_back(S);
  }
  SmallPtrSet<const BasicBlock *, 32> Behind;
  Work.push_back(&B);
  while (!Work.empty())
    for (const BasicBlock *S : successors(Work.pop_back_val()))
      if (S == &B)
        return false;
      else if (Behind.insert(S).second)
        Work.push_back(S);
  return true;
}

/// A thread may end itself in I.
static bool mayLeave(const Instruction &I) {
  const auto *C = dyn_cast<CallBase>(&I);
  if (!C)
    return false;
  if (const auto *Asm = dyn_cast<InlineAsm>(C->getCalledOperand()))
    return StringRef(Asm->getAsmString()).contains("exit");
  const Function *Callee = C->getCalledFunction();
  return Callee && Callee->isIntrinsic() && C->doesNotReturn() &&
         Callee->getIntrinsicID() != Intrinsic::trap;
}

void retrograd::addUpOverBlocks(Function &F) {
  if (F.getCallingConv() != CallingConv::PTX_Kernel)
    return;
  SmallVector<CallInst *, 2> Sums;
  for (Instruction &I : instructions(F)) {
    auto *C = dyn_cast<CallInst>(&I);
    if (C && C->getCalledFunction() &&
        C->getCalledFunction()->getName().starts_with("rg_sums_f"))
      Sums.push_back(C);
  }
  if (Sums.empty() || any_of(*F.getParent(), [](const Function &G) {
        return any_of(instructions(G), mayLeave);
      }))
    return;
  for (CallInst *C : Sums)
    if (allComeOnceTo(*C->getParent()))
      C->setArgOperand(C->arg_size() - 1,
                       ConstantInt::get(Type::getInt32Ty(F.getContext()), 1));
}
