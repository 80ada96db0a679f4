//===- ViewFolds.cpp - __enzyme_sum and __enzyme_product ------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Entry/LowerEntryCalls.h"
#include "Entry/SparseViews.h"
#include "Entry/ViewLowering.h"
#include "Request/EntryFamilies.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace retrograd;

Value *retrograd::convertForView(IRBuilderBase &B, Value *V, Type *T) {
  Type *From = V->getType();
  if (From == T)
    return V;
  if (From->isFloatingPointTy() && T->isFloatingPointTy())
    return B.CreateFPCast(V, T);
  if (From->isIntegerTy() && T->isIntegerTy())
    return B.CreateSExtOrTrunc(V, T);
  if (From->isIntegerTy() && T->isFloatingPointTy())
    return B.CreateSIToFP(V, T);
  return nullptr;
}

void retrograd::lowerFolds(Module &M) {
  for (Function &F : M)
    for (Instruction &I : make_early_inc_range(instructions(F))) {
      auto *Call = dyn_cast<CallBase>(&I);
      FoldCall Kind = Call ? foldCallOf(*Call) : FoldCall::None;
      Type *T = Call ? Call->getType() : nullptr;
      auto Converts = [&](Value *V) {
        return V->getType()->isIntegerTy() ||
               (V->getType()->isFloatingPointTy() && T->isFloatingPointTy());
      };
      if (Kind == FoldCall::None ||
          (!T->isIntegerTy() && !T->isFloatingPointTy()) ||
          !all_of(Call->args(), Converts))
        continue; // told with the entry calls
      IRBuilder<> B(Call);
      Value *All = nullptr;
      for (Value *Argument : Call->args()) {
        Value *V = convertForView(B, Argument, T);
        if (!All)
          All = V;
        else if (Kind == FoldCall::Sum)
          All = T->isIntegerTy() ? B.CreateAdd(All, V) : B.CreateFAdd(All, V);
        else
          All = T->isIntegerTy() ? B.CreateMul(All, V) : B.CreateFMul(All, V);
      }
      if (!All)
        All = Kind == FoldCall::Sum ? Constant::getNullValue(T)
              : T->isIntegerTy()    ? (Value *)ConstantInt::get(T, 1)
                                    : (Value *)ConstantFP::get(T, 1.0);
      Call->replaceAllUsesWith(All);
      removeRefusedCall(*Call);
    }
}
