//===- ReplaceBarriers.cpp - assembly without text ------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/ReplaceBarriers.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace retrograd;

static bool hasOutput(const InlineAsm &Asm) {
  return any_of(Asm.ParseConstraints(), [](const InlineAsm::ConstraintInfo &C) {
    return C.Type == InlineAsm::isOutput;
  });
}

/// Assembly without text, which libraries use to hide a value from the
/// optimiser, does nothing or hands its operand on. Returns what the call
/// stands for; null if it is no such thing.
static Value *valueOfEmptyAssembly(CallInst &Call) {
  auto *Asm = dyn_cast<InlineAsm>(Call.getCalledOperand());
  if (!Asm || !StringRef(Asm->getAsmString()).trim().empty())
    return nullptr;
  if (Call.getType()->isVoidTy())
    return hasOutput(*Asm) ? nullptr : PoisonValue::get(Call.getType());
  InlineAsm::ConstraintInfoVector Constraints = Asm->ParseConstraints();
  // One output, tied to the only input.
  if (Call.arg_size() != 1 ||
      Call.getArgOperand(0)->getType() != Call.getType() ||
      Constraints.size() < 2 || Constraints[1].Type != InlineAsm::isInput ||
      Constraints[1].Codes.empty() || Constraints[1].Codes[0] != "0")
    return nullptr;
  return Call.getArgOperand(0);
}

/// V, which the optimiser must not see through.
static Value *fence(IRBuilder<> &B, Value *V) {
  if (!V->getType()->isFPOrFPVectorTy())
    return V;
  return B.CreateArithmeticFence(V, V->getType());
}

void retrograd::replaceBarriers(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Call = dyn_cast<CallInst>(&I);
    auto *Asm = Call ? dyn_cast<InlineAsm>(Call->getCalledOperand()) : nullptr;
    if (!Asm || !StringRef(Asm->getAsmString()).trim().empty())
      continue;
    IRBuilder<> B(Call);
    if (!Call->getType()->isVoidTy()) {
      if (Value *V = valueOfEmptyAssembly(*Call);
          V && V->getType()->isFPOrFPVectorTy()) {
        Call->replaceAllUsesWith(fence(B, V));
        Call->eraseFromParent();
      }
      continue;
    }
    // One output, a variable in memory, with the value of the one input:
    // "+m,x".
    auto [Output, Rest] = StringRef(Asm->getConstraintString()).split(',');
    if (Call->arg_size() != 2 || !Output.starts_with("=*") ||
        Rest.split(',').first != "0")
      continue;
    Value *To = Call->getArgOperand(0), *From = Call->getArgOperand(1);
    if (!To->getType()->isPointerTy() ||
        Call->getParamElementType(0) != From->getType())
      continue;
    B.CreateStore(fence(B, From), To);
    Call->eraseFromParent();
  }
}

void retrograd::dropEmptyAssembly(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Call = dyn_cast<CallInst>(&I); Call && Call->isInlineAsm())
      if (Value *V = valueOfEmptyAssembly(*Call)) {
        if (!Call->getType()->isVoidTy())
          Call->replaceAllUsesWith(V);
        Call->eraseFromParent();
      }
}
