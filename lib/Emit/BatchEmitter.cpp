//===- BatchEmitter.cpp - a function at several arguments -----------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit/BatchEmitter.h"
#include "Emit/FunctionShell.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

Function *retrograd::emitBatch(const DerivativeRequest &R, Module &M) {
  Function *D = declareDerivative(R, M);
  Function &F = *R.Primal;
  // The batch is a wrapper: it belongs to whoever asked for it.
  D->addFnAttr(Attribute::InlineHint);
  IRBuilder<> B(BasicBlock::Create(M.getContext(), "entry", D));
  // How the primal takes its arguments (in memory, say), but nothing that it
  // merely promises.
  AttributeList Of = F.getAttributes();
  SmallVector<AttributeSet, 8> OfArgs;
  for (unsigned I = 0; I != F.arg_size(); ++I)
    OfArgs.push_back(Of.getParamAttrs(I));
  AttributeList OfCall = AttributeList::get(M.getContext(), AttributeSet(),
                                            Of.getRetAttrs(), OfArgs);
  Value *Result = PoisonValue::get(
      D->getReturnType()->isVoidTy() ? B.getInt8Ty() : D->getReturnType());
  for (unsigned Lane = 0; Lane != R.Width; ++Lane) {
    SmallVector<Value *, 8> Args;
    unsigned Next = 0;
    for (ArgActivity A : R.Args) {
      bool HasLanes = A != ArgActivity::Const;
      Args.push_back(D->getArg(Next + (HasLanes ? Lane : 0)));
      Next += HasLanes ? R.Width : 1;
    }
    CallInst *Call = B.CreateCall(&F, Args);
    Call->setAttributes(OfCall);
    Call->setCallingConv(F.getCallingConv());
    if (!Call->getType()->isVoidTy())
      Result = B.CreateInsertValue(Result, Call, Lane);
  }
  if (D->getReturnType()->isVoidTy())
    B.CreateRetVoid();
  else
    B.CreateRet(Result);
  return D;
}
