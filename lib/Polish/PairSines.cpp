//===- PairSines.cpp - sine and cosine by one call ------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/PairSines.h"
#include "Target/Target.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

void retrograd::pairSines(Function &F) {
  Module &M = *F.getParent();
  Target Machine(M);
  if (!Machine.sineAndCosine() || F.hasOptNone())
    return;
  LLVMContext &C = M.getContext();
  for (Type *T : {Type::getDoubleTy(C), Type::getFloatTy(C)})
    for (auto [SineOf, CosineOf, BothOf] :
         {std::tuple("sin", "cos", "sincos"),
          std::tuple("sinpi", "cospi", "sincospi")}) {
      Function *Sine = M.getFunction(Machine.mathFunction(SineOf, T));
      Function *Cosine = M.getFunction(Machine.mathFunction(CosineOf, T));
      if (!Sine || !Cosine)
        continue;
      for (BasicBlock &B : F) {
        // By argument, all calls of either in their order.
        MapVector<Value *, SmallVector<CallInst *, 2>> Calls;
        for (Instruction &I : B)
          if (auto *Call = dyn_cast<CallInst>(&I);
              Call &&
              (Call->getCalledOperand() == Sine ||
               Call->getCalledOperand() == Cosine) &&
              Call->arg_size() == 1 && Call->getType() == T &&
              Call->getArgOperand(0)->getType() == T)
            Calls[Call->getArgOperand(0)].push_back(Call);
        for (auto &[Unused, Of] : Calls) {
          auto IsSine = [&](CallInst *Call) {
            return Call->getCalledOperand() == Sine;
          };
          if (all_of(Of, IsSine) || none_of(Of, IsSine))
            continue;
          IRBuilder<> AtEntry(&F.getEntryBlock(), F.getEntryBlock().begin());
          AllocaInst *Places[] = {AtEntry.CreateAlloca(T),
                                  AtEntry.CreateAlloca(T)};
          IRBuilder<> Before(Of.front());
          Type *P = Before.getPtrTy();
          FunctionCallee Both = M.getOrInsertFunction(
              Machine.mathFunction(BothOf, T),
              FunctionType::get(Before.getVoidTy(), {T, P, P}, false));
          if (Both.getFunctionType()->getNumParams() != 3)
            continue;
          // Not the key: that may have been a call that is gone by now
          // (sin(sin(x))).
          Before.CreateCall(
              Both, {Of.front()->getArgOperand(0), Places[0], Places[1]});
          Value *Results[] = {Before.CreateLoad(T, Places[0]),
                              Before.CreateLoad(T, Places[1])};
          for (CallInst *Call : Of) {
            Call->replaceAllUsesWith(Results[IsSine(Call) ? 0 : 1]);
            Call->eraseFromParent();
          }
        }
      }
    }
}
