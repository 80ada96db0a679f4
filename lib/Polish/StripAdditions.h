//===- StripAdditions.h - the reverse of stencils, vectorised ---*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that reads u[i-1], u[i], u[i+1] has a reverse that adds to the
// adjoints of all three, so one iteration adds where the next one does, and the
// vectoriser leaves it alone. Here such a loop runs in strips: first the
// numbers of a strip's iterations are computed, into small arrays on the stack,
// then they are added, one place of the stencil after the other. Both are loops
// that the vectoriser takes.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_STRIPADDITIONS_H
#define RETROGRAD_POLISH_STRIPADDITIONS_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

/// In a finished derivative. True if it was changed.
bool stripAdditions(llvm::Function &Derivative,
                    llvm::ModuleAnalysisManager &MAM);

} // namespace retrograd

#endif
