//===- SeparateFunctions.cpp - one derivative call per function -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A derivative call may name one of several functions: the program chooses one
// first, or the optimiser made one call of two that differed in nothing else.
//
//   r = autodiff(p, x)        if (p == f) r1 = autodiff(f, x)
//                             else        r2 = autodiff(g, x)
//                             r = phi r1, r2
//
//===----------------------------------------------------------------------===//

#include "Entry/PrepareEntryCalls.h"
#include "Request/EntryCalls.h"
#include "Request/FunctionOperand.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace retrograd;

/// More than these are a table, whose derivatives the program did not mean to
/// ask for in one line.
static constexpr unsigned MostFunctions = 8;

/// The copies of Call, each in a block of its own, and what follows when they
/// return.
static void separate(CallBase &Call, ArrayRef<Function *> Functions) {
  Function &Around = *Call.getFunction();
  LLVMContext &Ctx = Call.getContext();
  unsigned Operand = functionOperandOf(Call)->getOperandNo();
  Value *Chosen = Call.getArgOperand(Operand);
  auto *Invoke = dyn_cast<InvokeInst>(&Call);

  BasicBlock *Before = Call.getParent();
  BasicBlock *Behind;
  if (Invoke) {
    // The normal edge gets a block for the result.
    BasicBlock *Normal = Invoke->getNormalDest();
    Behind = BasicBlock::Create(Ctx, "derivative.cont", &Around, Normal);
    BranchInst::Create(Normal, Behind)->setDebugLoc(Call.getDebugLoc());
    Normal->replacePhiUsesWith(Before, Behind);
  } else {
    Behind = SplitBlock(Before, Call.getNextNode());
    Before->getTerminator()->eraseFromParent();
  }
  PHINode *Result = nullptr;
  if (!Call.getType()->isVoidTy() && !Call.use_empty())
    Result =
        PHINode::Create(Call.getType(), Functions.size(), "", Behind->begin());

  IRBuilder<> B(Before);
  SmallVector<BasicBlock *, 4> Copies;
  for (auto [N, F] : enumerate(Functions)) {
    BasicBlock *Mine = BasicBlock::Create(Ctx, "derivative", &Around, Behind);
    Copies.push_back(Mine);
    auto *Copy = cast<CallBase>(Call.clone());
    Copy->insertInto(Mine, Mine->end());
    Copy->setArgOperand(Operand, F);
    if (auto *I = dyn_cast<InvokeInst>(Copy))
      I->setNormalDest(Behind);
    else
      BranchInst::Create(Behind, Mine)->setDebugLoc(Call.getDebugLoc());
    if (Result)
      Result->addIncoming(Copy, Mine);
  }
  if (Invoke)
    for (PHINode &Phi : Invoke->getUnwindDest()->phis()) {
      Value *V = Phi.getIncomingValueForBlock(Before);
      for (BasicBlock *Mine : Copies)
        Phi.addIncoming(V, Mine);
      Phi.removeIncomingValue(Before, /*DeletePHIIfEmpty=*/false);
    }
  if (Result)
    Call.replaceAllUsesWith(Result);
  DebugLoc Place = Call.getDebugLoc();
  Call.eraseFromParent();

  B.SetInsertPoint(Before);
  B.SetCurrentDebugLocation(Place);
  for (unsigned N = 0; N + 1 < Functions.size(); ++N) {
    Value *Address = B.CreateBitOrPointerCast(Chosen, Functions[N]->getType());
    Value *IsThis = B.CreateICmpEQ(Address, Functions[N]);
    if (N + 2 == Functions.size()) {
      B.CreateCondBr(IsThis, Copies[N], Copies[N + 1]);
      break;
    }
    BasicBlock *Others =
        BasicBlock::Create(Ctx, "derivative.other", &Around, Copies[N]);
    B.CreateCondBr(IsThis, Copies[N], Others);
    B.SetInsertPoint(Others);
  }
}

bool retrograd::separateFunctions(Module &M) {
  SmallVector<std::pair<CallBase *, SmallVector<Function *, 4>>, 4> Wanted;
  for (Function &Around : M)
    for (Instruction &I : instructions(Around)) {
      auto *Call = dyn_cast<CallBase>(&I);
      Use *Operand = Call ? functionOperandOf(*Call) : nullptr;
      if (!Operand)
        continue;
      FunctionOperand Named = resolveFunction(Operand->get());
      if (!Named.Complete || Named.ByReference || Named.Functions.size() < 2 ||
          Named.Functions.size() > MostFunctions)
        continue;
      Type *T = Operand->get()->getType();
      if (!T->isPointerTy() && !T->isIntegerTy(64))
        continue;
      Wanted.push_back(
          {Call, {Named.Functions.begin(), Named.Functions.end()}});
    }
  for (auto &[Call, Functions] : Wanted)
    separate(*Call, Functions);
  return !Wanted.empty();
}
