//===- DefinedShifts.cpp - shifts by the width or more --------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Offload/DefinedShifts.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;
using namespace retrograd;

/// Of the amount a device's shift looks at so many bits.
static constexpr unsigned AmountBits = 32;

static Value *defined(BinaryOperator &Shift) {
  IRBuilder<> B(&Shift);
  Type *T = Shift.getType();
  Value *X = Shift.getOperand(0), *Amount = Shift.getOperand(1);
  unsigned Width = T->getScalarSizeInBits();
  if (Width > AmountBits)
    Amount = B.CreateAnd(
        Amount, ConstantInt::get(T, APInt::getLowBitsSet(Width, AmountBits)));
  if (Shift.getOpcode() == Instruction::AShr)
    return B.CreateAShr(X,
                        B.CreateBinaryIntrinsic(Intrinsic::umin, Amount,
                                                ConstantInt::get(T, Width - 1)),
                        "", Shift.isExact());
  Value *Within = B.CreateICmpULT(Amount, ConstantInt::get(T, Width));
  Value *Same = B.CreateBinOp(Shift.getOpcode(), X, Amount);
  if (auto *I = dyn_cast<Instruction>(Same))
    I->copyIRFlags(&Shift);
  return B.CreateSelect(Within, Same, Constant::getNullValue(T));
}

PreservedAnalyses DefinedShiftsPass::run(Function &F,
                                         FunctionAnalysisManager &) {
  const DataLayout &DL = F.getDataLayout();
  SmallVector<BinaryOperator *, 16> Shifts;
  bool Changed = false;
  for (Instruction &I : instructions(F)) {
    // The front end has folded what stands between two constants. All that it
    // makes poison of as a number are operations without a defined result.
    for (Use &U : I.operands())
      if (isa<PoisonValue>(U) && U->getType()->isIntegerTy() &&
          !isa<InsertElementInst, InsertValueInst>(I)) {
        U.set(Constant::getNullValue(U->getType()));
        Changed = true;
      }
    if (I.isShift() && computeKnownBits(I.getOperand(1), DL)
                           .getMaxValue()
                           .uge(I.getType()->getScalarSizeInBits()))
      Shifts.push_back(cast<BinaryOperator>(&I));
  }
  for (BinaryOperator *Shift : Shifts) {
    Value *New = defined(*Shift);
    New->takeName(Shift);
    Shift->replaceAllUsesWith(New);
    Shift->eraseFromParent();
  }
  return Changed || !Shifts.empty() ? PreservedAnalyses::none()
                                    : PreservedAnalyses::all();
}
