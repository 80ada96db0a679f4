//===- BlockSums.cpp - sums of whole blocks -------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/BlockSums.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

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

namespace {

/// A copy that a block has: where it begins, is added to, and ends.
struct Copy {
  SmallVector<CallInst *, 1> Begins, Ends;
  SmallVector<CallInst *, 4> Adds;
};

} // namespace

void retrograd::addUpOverBlocks(Function &F) {
  if (F.getCallingConv() != CallingConv::PTX_Kernel)
    return;
  SmallVector<CallInst *, 2> Sums;
  MapVector<Value *, Copy> Copies;
  for (Instruction &I : instructions(F)) {
    auto *C = dyn_cast<CallInst>(&I);
    if (!C || !C->getCalledFunction())
      continue;
    StringRef Name = C->getCalledFunction()->getName();
    if (Name.starts_with("rg_sums_f"))
      Sums.push_back(C);
    else if (Name.starts_with("rg_block_begin_f"))
      Copies[C->getArgOperand(0)].Begins.push_back(C);
    else if (Name.starts_with("rg_block_add_f"))
      Copies[C->getArgOperand(0)].Adds.push_back(C);
    else if (Name.starts_with("rg_block_end_f"))
      Copies[C->getArgOperand(0)].Ends.push_back(C);
  }
  auto Together = [](CallInst *C) {
    C->setArgOperand(C->arg_size() - 1,
                     ConstantInt::get(Type::getInt32Ty(C->getContext()), 1));
  };
  if ((!Sums.empty() || !Copies.empty()) &&
      none_of(*F.getParent(), [](const Function &G) {
        return any_of(instructions(G), mayLeave);
      })) {
    for (CallInst *C : Sums)
      if (allComeOnceTo(*C->getParent()))
        Together(C);
    for (auto &[Of, C] : Copies)
      if (C.Begins.size() == 1 && C.Ends.size() == 1 &&
          allComeOnceTo(*C.Begins.front()->getParent()) &&
          allComeOnceTo(*C.Ends.front()->getParent())) {
        for_each(C.Begins, Together);
        for_each(C.Adds, Together);
        for_each(C.Ends, Together);
      }
  }
  for (auto &[Of, C] : Copies)
    for (CallInst *Add : C.Adds) {
      InlineFunctionInfo Info;
      InlineFunction(*Add, Info);
    }
}
