//===- StrictFloat.h - derivatives of strict floating point -----*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// -frounding-math, -ftrapping-math and `#pragma STDC FENV_ACCESS ON` make a
// function strict: it has the attribute strictfp and computes by constrained
// intrinsics, which name a rounding mode and what exceptions mean. LLVM
// demands that all floating-point operations of such a function are
// constrained and all its calls marked. A derivative of a strict function is
// strict; what it computes for an operation has that operation's rounding mode
// and exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_STRICTFLOAT_H
#define RETROGRAD_EMIT_STRICTFLOAT_H

#include "llvm/IR/IRBuilder.h"

namespace retrograd {

/// What B builds from here on goes into F, a primal or its derivative.
void beginStrict(llvm::IRBuilderBase &B, const llvm::Function &F);

/// What B builds next belongs to operation I of the primal. RoundingChanges: it
/// may run in another rounding mode than I. No effect where B builds ordinary
/// operations.
void followStrict(llvm::IRBuilderBase &B, const llvm::Instruction &I,
                  bool RoundingChanges);

/// The constrained form of an intrinsic, 0 if there is none.
llvm::Intrinsic::ID constrainedForm(llvm::Intrinsic::ID Id);

/// Makes what is still missing in F, a strict function, strict: its calls, and
/// operations that builders without a mode have left.
void settleStrict(llvm::Function &F);

} // namespace retrograd

#endif
