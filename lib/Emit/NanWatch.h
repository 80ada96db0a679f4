//===- NanWatch.h - where adjoints stop being finite ------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// -rg-nan=report|trap (docs/NanOrigin.md): after the contribution of a formula
// to an adjoint, a call that looks at it and names the user's line, the
// operation and the values that the formula read.
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_NANWATCH_H
#define RETROGRAD_EMIT_NANWATCH_H

#include "Catalogue/Catalogue.h"
#include "Support/Options.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

namespace retrograd {

class RuntimeLibrary;

/// Looks at X, what P contributes to the adjoint of an operand of I (record R),
/// given the adjoint Seed of I's result. Operand and Result give primal values;
/// they are asked only for what P reads. Vectors are looked at element by
/// element.
void watchFinite(llvm::IRBuilderBase &B, NanKind Kind,
                 const llvm::Instruction &I, const OperationRecord &R,
                 const Partial &P, llvm::Value *X, llvm::Value *Seed,
                 llvm::function_ref<llvm::Value *(unsigned)> Operand,
                 llvm::function_ref<llvm::Value *()> Result,
                 RuntimeLibrary &Runtime);

} // namespace retrograd

#endif
