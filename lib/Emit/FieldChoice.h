//===- FieldChoice.h - are the fields' arrays apart? ------------*- C++ -*-===//
//
// Part of the Retrograd project, under the Apache License v2.0 with LLVM
// Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As DisjointChoice, of a function whose arrays are behind pointers in structs:
// a question that a call asks, and a primal that takes the answer for granted
// (docs/DisjointArguments.md).
//
//===----------------------------------------------------------------------===//

#ifndef RETROGRAD_EMIT_FIELDCHOICE_H
#define RETROGRAD_EMIT_FIELDCHOICE_H

#include "Analysis/FieldRanges.h"

namespace retrograd {
struct DerivativeRequest;

/// A function that is given what a derivative for R is given (which returns
/// what a derivative in joint reverse mode does), but for the seed, and says
/// whether all that FieldRanges ask about holds, of shadows, too.
llvm::Function *emitFieldQuestion(const DerivativeRequest &R,
                                  llvm::Function &Prepared,
                                  const FieldRanges &Ranges,
                                  llvm::ScalarEvolution &SE);

/// Says so in the primal that the ranges are of.
void markApart(llvm::Function &Prepared, const FieldRanges &Ranges);

/// A function as General, answered by Disjoint where Question holds.
llvm::Function *emitFieldChoice(llvm::Function &Question,
                                llvm::Function &Disjoint,
                                llvm::Function &General);

} // namespace retrograd

#endif
