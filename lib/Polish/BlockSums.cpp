//===- BlockSums.cpp - sums of whole blocks -------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/BlockSums.h"
#include "Catalogue/ThreadIdentity.h"
#include "Emit/FunctionShell.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;
using namespace retrograd;

/// Every way from the entry of F to a return leads through B, and none twice.
/// What ends elsewhere ends the whole kernel with an error.
bool retrograd::allComeOnceTo(const BasicBlock &B) {
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
static bool leaves(const Instruction &I) {
  const auto *C = dyn_cast<CallBase>(&I);
  if (!C)
    return false;
  if (const auto *Asm = dyn_cast<InlineAsm>(C->getCalledOperand()))
    return StringRef(Asm->getAsmString()).contains("exit");
  const Function *Callee = C->getCalledFunction();
  return Callee && Callee->isIntrinsic() && C->doesNotReturn() &&
         Callee->getIntrinsicID() != Intrinsic::trap;
}

bool retrograd::mayLeave(const Module &M) {
  return any_of(
      M, [](const Function &F) { return any_of(instructions(F), leaves); });
}

/// On all ways to Phi one question, to which threads of a block get one answer.
static bool asksOne(const PHINode &Phi) {
  std::optional<ThreadIdentity> Asked;
  return all_of(Phi.incoming_values(), [&](const Value *In) {
    const auto *C = dyn_cast<CallBase>(In);
    std::optional<ThreadIdentity> Who =
        C ? ThreadIdentity::of(*C) : std::nullopt;
    if (!Who || !Who->isSameInBlock())
      return false;
    if (!Asked)
      Asked = Who;
    return *Asked == *Who;
  });
}

/// V, of a kernel, is the same for all threads of a block.
static bool isSameInBlock(Value *V) {
  constexpr unsigned Most = 256;
  SmallVector<Value *, 32> Work{V};
  SmallPtrSet<Value *, 32> Seen;
  while (!Work.empty()) {
    auto *I = dyn_cast<Instruction>(Work.pop_back_val());
    if (!I || !Seen.insert(I).second)
      continue;
    if (Seen.size() > Most)
      return false;
    if (auto *C = dyn_cast<CallBase>(I)) {
      std::optional<ThreadIdentity> Who = ThreadIdentity::of(*C);
      if (!Who || !Who->isSameInBlock())
        return false;
    } else if (auto *Phi = dyn_cast<PHINode>(I)) {
      if (!asksOne(*Phi))
        return false;
      continue;
    } else if (!isa<CastInst, BinaryOperator, GetElementPtrInst, SelectInst,
                    CmpInst, InsertElementInst, FreezeInst>(I)) {
      return false;
    }
    append_range(Work, I->operands());
  }
  return true;
}

/// C adds up sums whose places may differ: by the routine that looks at one
/// after the other, in memory of the thread's own.
static void addOneByOne(CallInst &C) {
  Function &F = *C.getFunction();
  Value *Places = C.getArgOperand(0), *Values = C.getArgOperand(1);
  const uint64_t N = cast<ConstantInt>(C.getArgOperand(3))->getZExtValue();
  Type *T = Values->getType()->getScalarType();
  Function *Each = F.getParent()->getFunction(T->isFloatTy() ? "rg_sums_f32"
                                                             : "rg_sums_f64");
  if (!Each)
    return;
  IRBuilder<> B(&C);
  AllocaInst *OfPlaces =
      entryAlloca(F, ArrayType::get(B.getPtrTy(), N), "places");
  AllocaInst *OfValues = entryAlloca(F, ArrayType::get(T, N), "sums");
  for (uint64_t K = 0; K != N; ++K) {
    B.CreateStore(
        B.CreateIntToPtr(B.CreateExtractElement(Places, K), B.getPtrTy()),
        B.CreateConstInBoundsGEP1_64(B.getPtrTy(), OfPlaces, K));
    B.CreateStore(B.CreateExtractElement(Values, K),
                  B.CreateConstInBoundsGEP1_64(T, OfValues, K));
  }
  B.CreateCall(Each,
               {inGenericSpace(B, OfPlaces), inGenericSpace(B, OfValues),
                C.getArgOperand(2), C.getArgOperand(3), C.getArgOperand(4)})
      ->copyMetadata(C);
  C.eraseFromParent();
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
    if (Name.starts_with("rg_sums_f") &&
        C->getArgOperand(0)->getType()->isVectorTy())
      Sums.push_back(C);
    else if (Name.starts_with("rg_block_begin_f"))
      Copies[C->getArgOperand(0)].Begins.push_back(C);
    else if (Name.starts_with("rg_block_add_f"))
      Copies[C->getArgOperand(0)].Adds.push_back(C);
    else if (Name.starts_with("rg_block_end_f"))
      Copies[C->getArgOperand(0)].Ends.push_back(C);
  }
  auto Tell = [](CallInst *C, unsigned What) {
    C->setArgOperand(C->arg_size() - 1,
                     ConstantInt::get(Type::getInt32Ty(C->getContext()), What));
  };
  auto Together = [&](CallInst *C) { Tell(C, 1); };
  if ((!Sums.empty() || !Copies.empty()) && !mayLeave(*F.getParent())) {
    for (CallInst *C : Sums)
      if (allComeOnceTo(*C->getParent()))
        // One alone is not followed by another, which would use the same
        // memory.
        Tell(C, !isSameInBlock(C->getArgOperand(0)) ? 1
                : Sums.size() > 1                   ? 2
                                                    : 3);
    for (auto &[Of, C] : Copies)
      if (C.Begins.size() == 1 && C.Ends.size() == 1 &&
          allComeOnceTo(*C.Begins.front()->getParent()) &&
          allComeOnceTo(*C.Ends.front()->getParent())) {
        for_each(C.Begins, Together);
        for_each(C.Adds, Together);
        for_each(C.Ends, Together);
      }
  }
  for (CallInst *C : Sums) {
    if (cast<ConstantInt>(C->getArgOperand(4))->getZExtValue() < 2) {
      addOneByOne(*C);
      continue;
    }
    // In line: a call would take registers for all places.
    InlineFunctionInfo Info;
    InlineFunction(*C, Info);
  }
  for (auto &[Of, C] : Copies)
    for (CallInst *Add : C.Adds) {
      InlineFunctionInfo Info;
      InlineFunction(*Add, Info);
    }
}
