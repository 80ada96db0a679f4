//===- PeelFirst.h - loops that begin differently ---------*- C++ -* ------===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Libraries allocate what they need when they are first called: `if (first)
// resize();` within the loop over time steps. To everybody who looks at the
// loop each iteration may then allocate, so memory changes from step to step:
// pointers and their shadows are kept for every iteration, with the way that
// control took, and nothing that was stored is known to be what is loaded.
//
// Such a flag shows as a header phi that is one constant before the loop and
// another one after each iteration. The first iteration is peeled off; the flag
// is a constant in it and in the loop that is left, and folds. LLVM's own
// unroller knows the case, for innermost loops of some dozen instructions: what
// an allocation costs in size is out of its reach, and would not pay for itself
// without a derivative.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_PRIMAL_OPTIMISE_PEELFIRST_H
#define RETROGRAD_PRIMAL_OPTIMISE_PEELFIRST_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

/// Peels off the first iteration of loops of F that take another way in it. F
/// should be simplified afterwards. True if there was one.
bool peelFirst(llvm::Function &F, llvm::FunctionAnalysisManager &FAM);

} // namespace retrograd

#endif
