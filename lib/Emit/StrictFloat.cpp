//===- StrictFloat.cpp - derivatives of strict floating point -------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit/StrictFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/FPEnv.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

void retrograd::beginStrict(IRBuilderBase &B, const Function &F) {
  if (!F.hasFnAttribute(Attribute::StrictFP))
    return;
  B.setIsFPConstrained(true);
  B.setDefaultConstrainedRounding(RoundingMode::Dynamic);
  // The strictest of what the function's own operations ask for.
  fp::ExceptionBehavior Except = fp::ebIgnore;
  for (const Instruction &I : instructions(F))
    if (const auto *C = dyn_cast<ConstrainedFPIntrinsic>(&I))
      if (auto Of = C->getExceptionBehavior())
        Except = std::max(Except, *Of);
  B.setDefaultConstrainedExcept(Except);
}

void retrograd::followStrict(IRBuilderBase &B, const Instruction &I,
                             bool RoundingChanges) {
  const auto *C = dyn_cast<ConstrainedFPIntrinsic>(&I);
  if (!C || !B.getIsFPConstrained())
    return;
  B.setDefaultConstrainedRounding(
      RoundingChanges ? RoundingMode::Dynamic
                      : C->getRoundingMode().value_or(RoundingMode::Dynamic));
  if (auto Except = C->getExceptionBehavior())
    B.setDefaultConstrainedExcept(*Except);
}

Intrinsic::ID retrograd::constrainedForm(Intrinsic::ID Id) {
  switch (Id) {
#define DAG_FUNCTION(NAME, NARG, ROUND_MODE, INTRINSIC, DAGN)                  \
  case Intrinsic::NAME:                                                        \
    return Intrinsic::INTRINSIC;
#define FUNCTION(NAME, NARG, ROUND_MODE, INTRINSIC)                            \
  case Intrinsic::NAME:                                                        \
    return Intrinsic::INTRINSIC;
#define INSTRUCTION(NAME, NARG, ROUND_MODE, INTRINSIC)
#include "llvm/IR/ConstrainedOps.def"
  default:
    return Intrinsic::not_intrinsic;
  }
}

/// I as a constrained operation of B.
static Value *constrained(Instruction &I, IRBuilderBase &B) {
  if (isa<FPMathOperator>(I))
    B.setFastMathFlags(I.getFastMathFlags());
  if (auto *Op = dyn_cast<BinaryOperator>(&I))
    return B.CreateBinOp(Op->getOpcode(), I.getOperand(0), I.getOperand(1));
  if (auto *C = dyn_cast<FCmpInst>(&I))
    return B.CreateFCmp(C->getPredicate(), I.getOperand(0), I.getOperand(1));
  switch (I.getOpcode()) {
  case Instruction::FPExt:
    return B.CreateFPExt(I.getOperand(0), I.getType());
  case Instruction::FPTrunc:
    return B.CreateFPTrunc(I.getOperand(0), I.getType());
  case Instruction::FPToSI:
    return B.CreateFPToSI(I.getOperand(0), I.getType());
  case Instruction::FPToUI:
    return B.CreateFPToUI(I.getOperand(0), I.getType());
  case Instruction::SIToFP:
    return B.CreateSIToFP(I.getOperand(0), I.getType());
  case Instruction::UIToFP:
    return B.CreateUIToFP(I.getOperand(0), I.getType());
  default:
    return nullptr;
  }
}

void retrograd::settleStrict(Function &F) {
  if (!F.hasFnAttribute(Attribute::StrictFP))
    return;
  IRBuilder<> B(F.getContext());
  beginStrict(B, F);
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (auto *C = dyn_cast<CallBase>(&I))
      C->addFnAttr(Attribute::StrictFP);
    if (isa<CallBase>(I) || !getConstrainedIntrinsicID(I))
      continue;
    B.SetInsertPoint(&I);
    if (Value *V = constrained(I, B)) {
      V->takeName(&I);
      I.replaceAllUsesWith(V);
      I.eraseFromParent();
    }
  }
}
