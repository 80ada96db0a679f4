//===- NormaliseControlFlow.h - one form of control flow --------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emission reverses control flow, and can do so for one form of it: natural
// loops with a block in front, one latch and exits of their own, whose values
// leave by phis; one return; a landing pad per invoke. Rotations by whole bytes
// become shifts here, and masked accesses branches around accesses of one
// element, so that no later analysis has to know them. Not handled: indirectbr
// and callbr in cycles with several entries, which are refused later.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_NORMALISECONTROLFLOW_H
#define RETROGRAD_PRIMAL_NORMALISECONTROLFLOW_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

/// Reducible loops with preheader, one latch and exits of their own; at most
/// one return; no dead blocks. Rotations by whole bytes become shifts.
void normaliseControlFlow(llvm::Function &F,
                          llvm::FunctionAnalysisManager &FAM);

} // namespace retrograd

#endif
