//===- Shortcuts.cpp ------------------------------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit/Shortcuts.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

using namespace llvm;

static constexpr StringLiteral Name = "rg_unless_differentiated";

Value *retrograd::unlessDifferentiated(IRBuilderBase &B, Value *Condition) {
  Module &M = *B.GetInsertBlock()->getModule();
  auto *F = cast<Function>(
      M.getOrInsertFunction(
           Name, FunctionType::get(B.getInt1Ty(), {B.getInt1Ty()}, false))
          .getCallee());
  F->setDoesNotAccessMemory();
  F->setDoesNotThrow();
  F->setWillReturn();
  return B.CreateCall(F, Condition);
}

void retrograd::dropShortcuts(Function &F) {
  Function *Question = F.getParent()->getFunction(Name);
  if (!Question)
    return;
  for (User *U : make_early_inc_range(Question->users()))
    if (auto *Call = cast<CallInst>(U); Call->getFunction() == &F) {
      Call->replaceAllUsesWith(ConstantInt::getFalse(F.getContext()));
      Call->eraseFromParent();
    }
}

bool retrograd::takeShortcuts(Module &M) {
  Function *Question = M.getFunction(Name);
  if (!Question)
    return false;
  for (User *U : make_early_inc_range(Question->users())) {
    auto *Call = cast<CallInst>(U);
    Call->replaceAllUsesWith(Call->getArgOperand(0));
    Call->eraseFromParent();
  }
  Question->eraseFromParent();
  return true;
}

void retrograd::holdShortcuts(Module &M) {
  Function *Question = M.getFunction(Name);
  if (!Question || !Question->isDeclaration())
    return;
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "", Question));
  B.CreateRet(Question->getArg(0));
  // Of a weak function nobody believes the body.
  Question->setLinkage(GlobalValue::WeakAnyLinkage);
  Question->setVisibility(GlobalValue::HiddenVisibility);
  Question->setDSOLocal(true);
  Question->addFnAttr(Attribute::NoInline);
}
