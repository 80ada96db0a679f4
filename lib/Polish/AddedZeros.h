//===- AddedZeros.h - adjoints to which zero is added -----------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reverse of y += x takes the adjoint of y, clears it, and adds it again.
// When loads and stores have been simplified, what is left is y' = y' + 0: LLVM
// keeps that, since -0 + 0 is 0. In the memory of adjoints the sign of a zero
// tells nothing: sums there begin with 0, and become -0 only if a user's seed
// is. So the number that was read is what is written, and neither is needed.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_POLISH_ADDEDZEROS_H
#define RETROGRAD_POLISH_ADDEDZEROS_H

#include "llvm/IR/PassManager.h"

namespace retrograd {

/// In a finished derivative. True if it was changed.
bool dropAddedZeros(llvm::Function &Derivative,
                    llvm::FunctionAnalysisManager &FAM);

} // namespace retrograd

#endif
