//===- WaitsThatEnd.cpp - threads that wait go on -------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Primal/Device/WaitsThatEnd.h"
#include "Catalogue/Catalogue.h"
#include "Target/Target.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

bool retrograd::markWaitsThatEnd(Function &F, const Catalogue &Cat) {
  if (!Target(*F.getParent()).manyThreads())
    return false;
  bool Any = false;
  for (Instruction &I : instructions(F)) {
    auto *C = dyn_cast<CallInst>(&I);
    if (!C || C->doesNotReturn() || C->hasFnAttr(Attribute::WillReturn))
      continue;
    const OperationRecord *R = Cat.lookup(*C);
    bool Waits = isa<IntrinsicInst>(C) && C->isConvergent();
    if (!R || !(Waits || R->Class == RuleClass::Formula))
      continue;
    C->addFnAttr(Attribute::WillReturn);
    C->addFnAttr(Attribute::NoUnwind);
    Any = true;
  }
  return Any;
}
