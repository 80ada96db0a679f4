//===- WaitsThatEnd.cpp - threads that wait go on -------------------------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM does not know that a barrier, a shuffle or a vote ends, nor that the
// mathematical functions of the device's library return. So it does not know
// either that an iteration that begins comes to the loop's condition, and
// cannot count the iterations of `for (t = 0; t < n; t += 32)` with a barrier
// within. A run that is reversed has returned, and with it all that it waited
// for.
//
//===----------------------------------------------------------------------===//

#include "Catalogue/Catalogue.h"
#include "Primal/PrimalSteps.h"
#include "Target/Target.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;
using namespace retrograd;

/// True if F, for a machine with many threads, has operations for several of
/// them at once, or mathematical functions: they are known to return now.
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
