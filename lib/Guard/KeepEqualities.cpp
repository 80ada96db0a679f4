//===- KeepEqualities.cpp -------------------------------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard/KeepEqualities.h"
#include "Request/EntryPoints.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace retrograd;

/// The comparison tells, one way or the other, that a number is a constant.
static bool isEqualityWithConstant(const FCmpInst &C) {
  switch (C.getPredicate()) {
  case FCmpInst::FCMP_OEQ:
  case FCmpInst::FCMP_UEQ:
  case FCmpInst::FCMP_ONE:
  case FCmpInst::FCMP_UNE:
    break;
  default:
    return false;
  }
  auto *K = dyn_cast<Constant>(C.getOperand(1));
  return K && !isa<Constant>(C.getOperand(0)) && !K->isNullValue();
}

/// A fence of ours: the program's own stand in arithmetic.
static bool onlyCompared(const IntrinsicInst &Fence) {
  return all_of(Fence.users(), [](const User *U) {
    auto *C = dyn_cast<FCmpInst>(U);
    return C && isa<Constant>(C->getOperand(1));
  });
}

PreservedAnalyses KeepEqualitiesPass::run(Module &M, ModuleAnalysisManager &) {
  if (!hasEntryCalls(M) && !isBeforeLink(Stage))
    return PreservedAnalyses::all();
  for (Function &F : M)
    keepEqualities(F);
  return PreservedAnalyses::none();
}

void retrograd::keepEqualities(Function &F) {
  for (Instruction &I : instructions(F)) {
    auto *C = dyn_cast<FCmpInst>(&I);
    if (!C || !isEqualityWithConstant(*C))
      continue;
    Value *X = C->getOperand(0);
    if (auto *II = dyn_cast<IntrinsicInst>(X);
        II && II->getIntrinsicID() == Intrinsic::arithmetic_fence)
      continue;
    C->setOperand(0, IRBuilder<>(C).CreateIntrinsic(Intrinsic::arithmetic_fence,
                                                    {X->getType()}, {X}));
  }
}

/// Puts the operand of a fence in its place.
static void drop(IntrinsicInst &Fence) {
  Fence.replaceAllUsesWith(Fence.getArgOperand(0));
  Fence.eraseFromParent();
}

void retrograd::foldEqualities(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *II = dyn_cast<IntrinsicInst>(&I);
        II && II->getIntrinsicID() == Intrinsic::arithmetic_fence &&
        isa<Constant>(II->getArgOperand(0)) && onlyCompared(*II))
      drop(*II);
}

bool retrograd::releaseEqualities(Module &M) {
  bool Any = false;
  for (Function &Fence : M) {
    if (Fence.getIntrinsicID() != Intrinsic::arithmetic_fence)
      continue;
    for (User *U : make_early_inc_range(Fence.users()))
      if (auto *II = cast<IntrinsicInst>(U); onlyCompared(*II)) {
        drop(*II);
        Any = true;
      }
  }
  return Any;
}
