//===- BitsInAddresses.cpp - addresses from numbers, at -O0 ---------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Polish/BitsInAddresses.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;
using namespace retrograd;

PreservedAnalyses BitsInAddressesPass::run(Function &F,
                                           FunctionAnalysisManager &) {
  // What the user's own functions are is clang's.
  if (!F.getName().starts_with("rg."))
    return PreservedAnalyses::all();
  for (Instruction &I : instructions(F)) {
    auto *Place = dyn_cast<IntToPtrInst>(&I);
    auto *Bits = Place ? dyn_cast<BitCastInst>(Place->getOperand(0)) : nullptr;
    if (Bits && Bits->getSrcTy()->isFloatingPointTy())
      Place->setOperand(0, IRBuilder<>(Place).CreateFreeze(Bits));
  }
  return PreservedAnalyses::none();
}
