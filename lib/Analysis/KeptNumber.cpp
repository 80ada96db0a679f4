//===- KeptNumber.cpp - atomic operations that leave one number -----------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Analysis/KeptNumber.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;
using namespace retrograd;

const Value *retrograd::keptNumber(const AtomicRMWInst &M) {
  const Value *V = M.getValOperand();
  switch (M.getOperation()) {
  case AtomicRMWInst::Xchg:
    if (isa<ConstantInt>(V))
      return V;
    [[fallthrough]];
  case AtomicRMWInst::Max:
  case AtomicRMWInst::Min:
  case AtomicRMWInst::UMax:
  case AtomicRMWInst::UMin:
  case AtomicRMWInst::FMax:
  case AtomicRMWInst::FMin:
    if (const auto *C = dyn_cast<BitCastInst>(V))
      V = C->getOperand(0);
    return V->getType()->isFloatTy() || V->getType()->isDoubleTy() ? V
                                                                   : nullptr;
  default:
    return nullptr;
  }
}

const Value *retrograd::keptNumber(const Instruction &I) {
  const auto *M = dyn_cast<AtomicRMWInst>(&I);
  return M ? keptNumber(*M) : nullptr;
}
